import type { z } from 'zod';
import type { fleetSchema } from '../../server/features/anchors/fleet-file.rules.js';
import { type SimulatedAnchor, startSimulatedAnchor } from './anchor.js';
import { type AnchorContext, corridors, type FleetSettings } from './context.js';
import { baseRates, marketRate } from './pricing.js';
import { anchorDefinitions } from './profiles.js';
import { startSimulatedServer } from './server.js';

export type { SimulatedAnchor } from './anchor.js';
export type { Ending } from './profiles.js';
export type { Responder } from './server.js';

export interface SimulatedAnchorsOptions
  extends Pick<FleetSettings, 'clock' | 'random' | 'ledger'>,
    Partial<Pick<FleetSettings, 'latencyFactor' | 'pace'>> {
  /** The FX reference takes this port and the anchors those after it, always in the same order; 0: any free ones. */
  portBase?: number;
  /** Ids of those to start; all where absent. */
  anchors?: readonly string[];
  /** How often `tick` runs by itself; never if absent. */
  tickMs?: number;
}

export type SimulatedAnchors = Awaited<ReturnType<typeof startSimulatedAnchors>>;

/** The simulated FX reference, `GET /fx` → `{base, date, rates}` with the rates as decimal strings. */
function startFx(settings: FleetSettings, port: number) {
  return startSimulatedServer({
    ...settings,
    port,
    addRoutes: (route) =>
      route('GET /fx', {}, (_, response) => {
        const now = settings.clock();
        const rates = Object.keys(baseRates).map((each) => [each, marketRate(each, now).toFixed()]);
        const date = new Date(now).toISOString().slice(0, 10);
        response.json({ base: 'USD', date, rates: Object.fromEntries(rates), simulated: true });
      }),
  });
}

/** Runs `work` every `everyMs`, never twice at once; `stop` waits for the run in progress. */
function repeat(work: () => Promise<void>, everyMs: number) {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error: unknown) => console.error('simulated anchors:', error))
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Starts the fleet of simulated anchors and their FX reference on 127.0.0.1. */
export async function startSimulatedAnchors(options: SimulatedAnchorsOptions) {
  const { portBase = 0 } = options;
  const settings = { latencyFactor: 1, pace: 1, ...options };
  const portAt = (place: number) => (portBase === 0 ? 0 : portBase + place);
  const anchors: SimulatedAnchor[] = [];
  const started: { stop(): Promise<void> }[] = [];

  /** Moves every withdrawal up to the clock and delivers callbacks. */
  async function tick(): Promise<void> {
    await Promise.all(anchors.map((each) => each.tick()));
  }
  async function stop(): Promise<void> {
    for (const each of started.splice(0).reverse()) await each.stop();
  }
  /** The anchor with that id; throws when it was not started. */
  function anchor(id: string): SimulatedAnchor {
    const found = anchors.find((each) => each.id === id);
    if (found === undefined) throw new Error(`simulated anchor ${id} was not started`);
    return found;
  }

  try {
    const fx = await startFx(settings, portAt(0));
    started.push(fx);
    for (const [place, definition] of anchorDefinitions.entries()) {
      if (options.anchors?.includes(definition.id) === false) continue;
      anchors.push(await startSimulatedAnchor(definition, settings, portAt(place + 1)));
      started.push(anchor(definition.id));
    }
    if (options.tickMs !== undefined) started.push(repeat(tick, options.tickMs));
    const tokens = anchors.flatMap(({ id, partnerToken }) =>
      partnerToken === null ? [] : [[partnerTokenEnv(id), partnerToken]],
    );
    const served = new Set(
      anchors.flatMap(({ context }) => context.definition.corridors.map(({ id }) => id)),
    );
    return {
      /** These anchors, and the corridors that they serve between them. */
      fleet: {
        simulated: true,
        note: 'Simulated anchors on loopback: they move no money.',
        corridors: corridors.filter(({ id }) => served.has(id)),
        anchors: anchors.map(({ context }) => fleetAnchor(context)),
      } as Fleet,
      fx,
      /** The value for `FX_URL`. */
      fxUrl: `${fx.origin}/fx`,
      /** Origins for `OUTBOUND_ALLOW`. */
      allow: anchors.map(({ origin }) => origin),
      /** Environment variables with the partner tokens that the fleet names. */
      env: Object.fromEntries(tokens) as Record<string, string>,
      anchors,
      anchor,
      tick,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The fleet file as it is written. */
export type Fleet = z.input<typeof fleetSchema>;
export type FleetAnchor = Fleet['anchors'][number];

/** The environment variable that carries the partner token of a simulated anchor. */
function partnerTokenEnv(anchorId: string): string {
  return `SIMULATED_TOKEN_${anchorId.toUpperCase().replaceAll('-', '_')}`;
}

/** An anchor that speaks SEP-6 alone publishes no stellar.toml: the file gives its addresses. */
function fleetAnchor({ definition, partnerToken, origin, signingKey, profile }: AnchorContext): FleetAnchor {
  const { id, name } = definition;
  const endpoints = { transferServerSep6: `${origin()}/sep6`, signingKey: signingKey.publicKey() };
  return {
    id,
    name,
    simulated: true,
    ...(profile().protocol === 'fee-sep6' ? { endpoints } : { homeDomain: origin() }),
    corridors: definition.corridors.map(({ id, deliveryMethods }) => ({
      id,
      deliveryMethods: [...deliveryMethods],
      collected: deliveryMethods.filter((method) => method === 'cash'),
    })),
    ...(partnerToken === null ? {} : { partnerToken: { env: partnerTokenEnv(id), origin: origin() } }),
  };
}
