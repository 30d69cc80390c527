import type { Clock, Random } from '../../server/ports.js';
import { type SimulatedAnchor, startSimulatedAnchor } from './anchor.js';
import { type Fleet, fleetOf, partnerTokenEnv } from './fleet.js';
import { type SimulatedFx, startSimulatedFx } from './fx.js';
import { loadState, saveState } from './state.js';
import { anchorDefinitions } from './tempers.js';
import type { AnchorDefinition } from './types.js';

export type { SimulatedAnchor } from './anchor.js';
export type { Fleet, FleetAnchor } from './fleet.js';
export type { SimulatedFx } from './fx.js';
export type { Ending, Temper } from './types.js';

export interface SimulatedAnchorsOptions {
  clock: Clock;
  random: Random;
  /** The FX reference takes this port and the anchors those after it, always in the same order; 0: any free ones. */
  portBase?: number;
  /** Ids of those to start; all where absent. */
  anchors?: readonly string[];
  /** Fixes how prices move. */
  seed?: string;
  /** Multiplies the tempers' latency; 0 answers at once. */
  latencyFactor?: number;
  /** Multiplies every settlement time. */
  pace?: number;
  /** Where withdrawals are kept over restarts (JSON); in memory only where absent. */
  stateFile?: string;
  /** How often `tick` runs by itself; never where absent. */
  tickMs?: number;
}

export interface SimulatedAnchors {
  fleet: Fleet;
  /** For `FX_URL`. */
  fxUrl: string;
  fx: SimulatedFx;
  /** Origins for `OUTBOUND_ALLOW`. */
  allow: string[];
  /** Environment variables with the partner tokens that the fleet names. */
  env: Record<string, string>;
  anchors: SimulatedAnchor[];
  /** The anchor of that id; throws when it was not started. */
  anchor(id: string): SimulatedAnchor;
  /** Moves every withdrawal up to the clock, delivers callbacks, writes the state file if anything changed. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

function chosen(ids: readonly string[] | undefined): { definition: AnchorDefinition; place: number }[] {
  const known = anchorDefinitions.map((definition, place) => ({ definition, place }));
  if (ids === undefined) return known;
  return ids.map((id) => {
    const found = known.find(({ definition }) => definition.id === id);
    if (found === undefined) throw new Error(`no simulated anchor ${id}`);
    return found;
  });
}

/** Runs `work` every `everyMs`, never twice at once; `stop` waits for the run under way. */
function repeat(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = work()
      .catch((fault: unknown) => console.error('simulated anchors:', fault))
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Starts the fleet of simulated anchors and their FX reference on 127.0.0.1; `stop` ends every listener. */
export async function startSimulatedAnchors(options: SimulatedAnchorsOptions): Promise<SimulatedAnchors> {
  const { clock, random, portBase = 0, seed = 'fairlead', latencyFactor = 1, pace = 1, stateFile } = options;
  const portAt = (place: number) => (portBase === 0 ? 0 : portBase + place);
  const world = { clock, random, seed, pace, latencyFactor };
  const saved = stateFile === undefined ? {} : await loadState(stateFile);
  const anchors: SimulatedAnchor[] = [];
  const started: { stop(): Promise<void> }[] = [];

  async function save(): Promise<void> {
    const changed = anchors.filter(({ withdrawals }) => withdrawals.takeChanged());
    if (stateFile === undefined || changed.length === 0) return;
    const kept = anchors.map(({ id, withdrawals }) => [id, withdrawals.all()]);
    await saveState(stateFile, { ...saved, ...Object.fromEntries(kept) });
  }
  async function tick(): Promise<void> {
    await Promise.all(anchors.map((each) => each.tick()));
    await save();
  }
  async function stop(): Promise<void> {
    for (const each of started.splice(0).reverse()) await each.stop();
    await save();
  }

  try {
    const fx = await startSimulatedFx({ clock, random, seed, port: portAt(0) });
    started.push(fx);
    for (const { definition, place } of chosen(options.anchors)) {
      const own = { port: portAt(place + 1), saved: saved[definition.id] ?? [] };
      const anchor = await startSimulatedAnchor(definition, world, own);
      started.push(anchor);
      anchors.push(anchor);
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
      anchor(id) {
        const found = anchors.find((each) => each.id === id);
        if (found === undefined) throw new Error(`simulated anchor ${id} was not started`);
        return found;
      },
      tick,
      stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}
