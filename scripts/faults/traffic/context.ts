import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Random } from '../../../server/ports.js';
import type { Ledger } from '../ledger.js';
import type { Clients } from './clients.js';
import type { TrafficSettings } from './settings.js';
import type { TrafficSurroundings } from './surroundings.js';

/** What every part of the traffic works with. */
export interface TrafficContext {
  clients: Clients;
  surroundings: TrafficSurroundings;
  ledger: Ledger;
  settings: TrafficSettings;
  random: Random;
  clock: Clock;
  /** Aborts when nothing new may begin; what is under way continues. */
  ending: AbortSignal;
  /** Aborts everything. */
  over: AbortSignal;
  /** A refusal that a correct client cannot get, in a sentence. */
  refused(what: string): void;
}

/** Runs `work` at this interval, ±50 %, until the signal aborts. An error before `over` is a fault of the driver. */
export async function repeatedly(
  { random }: Pick<TrafficContext, 'random'>,
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    while (!signal.aborted) {
      await delay(everyMs * (0.5 + random()), undefined, { signal });
      await work();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
