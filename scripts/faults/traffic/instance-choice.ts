import type { Clock, Random } from '../../../server/ports.js';
import { pick } from '../../lib/random.js';
import type { Answer, Target } from '../ports.js';

/** Which instance the requests of a client go to. */
export interface InstanceChoice {
  /** Undefined if there is no instance. */
  url(): string | undefined;
  /** Called before a request: since when its instance must hold points for it, as far as the client can know. */
  heldSinceMs(route: string): number | undefined;
  /** Called with each answer; `resetMs` is the end of the window of its limit, as it said. */
  ended(answer: Answer, resetMs: number | undefined): void;
}

export interface ChoiceDeps {
  target: Target;
  random: Random;
  clock: Clock;
}

/** Chooses an instance at random for each request, like a balancer without any state. */
export function anyOfThem({ target, random }: ChoiceDeps): InstanceChoice {
  return {
    url: () => pick(random, target.urls()),
    heldSinceMs: () => undefined,
    ended: () => undefined,
  };
}

/** The least that one of three instances draws from a limit of 60 for a client that only it serves. */
const pointsDrawn = 10;
/** The ends of windows are given in whole seconds. */
const marginMs = 2_000;

/** Stays with one instance until it fails to answer, like a client that keeps its connection. */
export function oneOfThem({ target, random, clock }: ChoiceDeps): InstanceChoice {
  let chosen: string | undefined;
  const windows = new Map<string, { sinceMs: number; resetMs: number; asked: number }>();

  return {
    url() {
      chosen ??= pick(random, target.urls());
      return chosen;
    },
    heldSinceMs(route) {
      const window = windows.get(route);
      if (window === undefined || clock() + marginMs >= window.resetMs) return undefined;
      window.asked += 1;
      return window.asked <= pointsDrawn ? window.sinceMs : undefined;
    },
    ended({ route, url, status, startedAtMs }, resetMs) {
      if (url !== chosen) return;
      if (status === 'cut') {
        chosen = undefined;
        windows.clear();
      } else if (status === 200 && resetMs !== undefined && resetMs > (windows.get(route)?.resetMs ?? 0)) {
        windows.set(route, { sinceMs: startedAtMs, resetMs, asked: 1 });
      }
    },
  };
}
