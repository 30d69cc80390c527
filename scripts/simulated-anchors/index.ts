import { readJson, replaceFile } from '../lib/files.js';
import { type SimulatedAnchor, startSimulatedAnchor } from './anchor.js';
import type { FleetSettings } from './context.js';
import { type Fleet, fleetOf, partnerTokenEnv } from './fleet-file.js';
import { type SimulatedFx, startSimulatedFx } from './fx.js';
import { anchorDefinitions } from './profiles.js';
import type { Withdrawal } from './withdrawals.js';

export type { SimulatedAnchor } from './anchor.js';
export type { Fleet } from './fleet-file.js';
export type { Ending } from './profiles.js';
export type { Responder } from './server.js';

export interface SimulatedAnchorsOptions extends Pick<FleetSettings, 'clock' | 'random' | 'ledger'> {
  /** The FX reference takes this port and the anchors those after it, always in the same order; 0: any free ones. */
  portBase?: number;
  /** Ids of those to start; all where absent. */
  anchors?: readonly string[];
  /** Determines how prices move. */
  seed?: string;
  /** Multiplies the profiles' latency; 0 answers at once. */
  latencyFactor?: number;
  /** Multiplies every settlement time. */
  pace?: number;
  /** The file in which withdrawals survive restarts (JSON); if absent, they are only in memory. */
  stateFile?: string;
  /** How often `tick` runs by itself; never if absent. */
  tickMs?: number;
}

export interface SimulatedAnchors {
  fleet: Fleet;
  /** The value for `FX_URL`. */
  fxUrl: string;
  fx: SimulatedFx;
  /** Origins for `OUTBOUND_ALLOW`. */
  allow: string[];
  /** Environment variables with the partner tokens that the fleet names. */
  env: Record<string, string>;
  anchors: SimulatedAnchor[];
  /** The anchor with that id; throws when it was not started. */
  anchor(id: string): SimulatedAnchor;
  /** Moves every withdrawal up to the clock, delivers callbacks, writes the state file if anything changed. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

type Saved = Record<string, Withdrawal[]>;

/** Runs `work` every `everyMs`, never twice at once; `stop` waits for the run in progress. */
function repeat(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
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
export async function startSimulatedAnchors(options: SimulatedAnchorsOptions): Promise<SimulatedAnchors> {
  const { clock, random, portBase = 0, seed = 'fairlead', latencyFactor = 1, pace = 1, stateFile } = options;
  const portAt = (place: number) => (portBase === 0 ? 0 : portBase + place);
  const saved = (await readJson<Saved>(stateFile)) ?? {};
  const anchors: SimulatedAnchor[] = [];
  const started: { stop(): Promise<void> }[] = [];

  async function save(): Promise<void> {
    const changed = anchors.filter(({ withdrawals }) => withdrawals.takeChanged());
    if (stateFile === undefined || changed.length === 0) return;
    const kept = Object.fromEntries(anchors.map(({ id, withdrawals }) => [id, withdrawals.all()]));
    await replaceFile(stateFile, JSON.stringify({ ...saved, ...kept }));
  }
  async function tick(): Promise<void> {
    await Promise.all(anchors.map((each) => each.tick()));
    await save();
  }
  async function stop(): Promise<void> {
    for (const each of started.splice(0).reverse()) await each.stop();
    await save();
  }
  function anchor(id: string): SimulatedAnchor {
    const found = anchors.find((each) => each.id === id);
    if (found === undefined) throw new Error(`simulated anchor ${id} was not started`);
    return found;
  }

  const unknown = options.anchors?.find((id) => anchorDefinitions.every((known) => known.id !== id));
  if (unknown !== undefined) throw new Error(`no simulated anchor ${unknown}`);
  try {
    const fx = await startSimulatedFx({ clock, random, seed, port: portAt(0) });
    started.push(fx);
    for (const [place, definition] of anchorDefinitions.entries()) {
      if (options.anchors?.includes(definition.id) === false) continue;
      const own = { port: portAt(place + 1), saved: saved[definition.id] ?? [] };
      const settings = { clock, random, seed, pace, latencyFactor, ledger: options.ledger };
      anchors.push(await startSimulatedAnchor(definition, settings, own));
      started.push(anchor(definition.id));
    }
    if (options.tickMs !== undefined) started.push(repeat(tick, options.tickMs));
    const tokens = anchors.flatMap(({ id, partnerToken }) =>
      partnerToken === null ? [] : [[partnerTokenEnv(id), partnerToken]],
    );
    return {
      fleet: fleetOf(anchors.map(({ context }) => context)),
      fxUrl: fx.url,
      fx,
      allow: anchors.map(({ origin }) => origin),
      env: Object.fromEntries(tokens),
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
