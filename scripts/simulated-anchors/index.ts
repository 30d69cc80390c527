import type { Clock, Random } from '../../server/ports.js';
import { type SimulatedAnchor, startSimulatedAnchor } from './anchor.js';
import { type Fleet, fleetOf, partnerTokenEnv } from './fleet.js';
import { type SimulatedFx, startSimulatedFx } from './fx.js';
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

/** Starts the fleet of simulated anchors and their FX reference on 127.0.0.1; `stop` ends every listener. */
export async function startSimulatedAnchors(options: SimulatedAnchorsOptions): Promise<SimulatedAnchors> {
  const { clock, random, portBase = 0, seed = 'fairlead', latencyFactor = 1, pace = 1 } = options;
  const portAt = (place: number) => (portBase === 0 ? 0 : portBase + place);
  const world = { clock, random, seed, pace, latencyFactor };
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(started.splice(0).map((each) => each.stop()));
  };

  try {
    const fx = await startSimulatedFx({ clock, random, seed, port: portAt(0) });
    started.push(fx);
    const anchors: SimulatedAnchor[] = [];
    for (const { definition, place } of chosen(options.anchors)) {
      const anchor = await startSimulatedAnchor(definition, world, portAt(place + 1));
      started.push(anchor);
      anchors.push(anchor);
    }
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
      stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}
