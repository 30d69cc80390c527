import type { Clock, Random } from '../../../server/ports.js';
import { pick } from '../../simulated-wallets/index.js';
import type { Answer, Target } from '../ports.js';

/** Which instance the requests of a client go to. */
export interface InstanceChoice {
  /** Undefined where there is none. */
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

/** Each request goes to an instance of its own, as a balancer chooses that looks at nothing. */
export function anyOfThem({ target, random }: ChoiceDeps): InstanceChoice {
  return {
    url: () => pick(target.urls(), random),
    heldSinceMs: () => undefined,
    ended: () => undefined,
  };
}

/** What one of three instances draws at least for a client of theirs alone, of a limit of 60. */
const pointsDrawn = 10;
/** Ends of windows are told in whole seconds. */
const marginMs = 2_000;

/** A client stays with an instance until that gives no answer, as one does that keeps its connection. */
export function oneOfThem({ target, random, clock }: ChoiceDeps): InstanceChoice {
  let chosen: string | undefined;
  const windows = new Map<string, { sinceMs: number; resetMs: number; asked: number }>();

  return {
    url() {
      chosen ??= pick(target.urls(), random);
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
