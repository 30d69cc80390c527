import type { Clock, Random } from '../../server/ports.js';
import { baseRates, marketRate } from './pricing.js';
import { type SimulatedServer, startSimulatedServer } from './server.js';

const faultless = {
  latencyMs: [0, 0],
  faults: { error500: 0, html: 0, hang: 0 },
  outage: null,
} as const;

export interface SimulatedFx extends SimulatedServer {
  /** The value for `FX_URL`. */
  url: string;
}

/** The simulated FX reference, `GET /fx` → `{base, date, rates}` with the rates as decimal strings. */
export async function startSimulatedFx(options: {
  clock: Clock;
  random: Random;
  seed: string;
  port: number;
}): Promise<SimulatedFx> {
  const { clock, seed } = options;
  const server = await startSimulatedServer({
    addRoutes: (route) =>
      route('GET /fx', (_request, response) => {
        const now = clock();
        const rates = Object.keys(baseRates).map((each) => [each, marketRate(each, now, seed).toFixed()]);
        const date = new Date(now).toISOString().slice(0, 10);
        response.json({ base: 'USD', date, rates: Object.fromEntries(rates), simulated: true });
      }),
    profile: () => faultless,
    latencyFactor: 0,
    ...options,
  });
  return Object.assign(server, { url: `${server.origin}/fx` });
}
