import type { Clock, Random } from '../../server/ports.js';
import { json } from './http.js';
import { baseRates, marketRate } from './rates.js';
import { type LoopbackServer, startLoopbackServer } from './server.js';

const quiet = {
  latencyMs: [0, 0],
  faults: { error500: 0, html: 0, hang: 0 },
  outage: null,
} as const;

export interface SimulatedFx extends LoopbackServer {
  /** What `FX_URL` is set to. */
  url: string;
}

/** The simulated FX reference, `GET /fx` → `{base, date, rates}` with the rates as decimal strings. */
export async function startSimulatedFx(options: {
  clock: Clock;
  random: Random;
  seed: string;
  port: number;
}): Promise<SimulatedFx> {
  const { clock, random, seed, port } = options;
  function reference() {
    const now = clock();
    const rates = Object.keys(baseRates).map((currency) => [
      currency,
      marketRate(currency, now, seed).toFixed(),
    ]);
    return {
      base: 'USD',
      date: new Date(now).toISOString().slice(0, 10),
      rates: Object.fromEntries(rates),
      simulated: true,
    };
  }
  const server = await startLoopbackServer({
    routes: [{ label: 'GET /fx', handle: () => json(200, reference()) }],
    temper: () => quiet,
    clock,
    random,
    port,
    latencyFactor: 0,
  });
  return Object.assign(server, { url: `${server.origin}/fx` });
}
