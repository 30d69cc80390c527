import type { RateLimitClass } from '../../contract/rate-limits.js';
import { inBatches } from '../mongo/in-batches.js';
import type { Clock } from '../ports.js';
import type { Draw, Drawn } from './window-store.js';

const maxKeysOfBatch = 200;

/** Receives one answer of the database, with a monotonic time before the draw was sent. */
export type OnDrawn = (key: string, rule: RateLimitClass, drawn: Drawn, sentAt: number) => void;

/**
 * Draws points of a key. Resolves when an answer for this key has been passed to `onDrawn`. Other requests may have
 * used its points, so the caller checks again what is held. Rejects if the database did not answer.
 */
export type DrawPoints = (key: string, rule: RateLimitClass) => Promise<void>;

/** A draw that has not been answered yet. */
interface OpenDraw {
  key: string;
  rule: RateLimitClass;
  /** How many requests wait for the draw. */
  requests: number;
}

/**
 * Requests that arrive while a batch is being sent make up the next one. One update and one query serve them all; two more
 * serve keys whose windows were wrongly taken for new. Each key has one draw at a time, which all its requests wait for.
 * `guard` runs each batch under its time limit; if it rejects, so do all requests that wait. An answer that arrives later is
 * passed to `onDrawn`, too.
 */
export function createDraws(deps: {
  send: (draws: readonly Draw[]) => Promise<Map<string, Drawn>>;
  guard: <T>(work: () => Promise<T>) => Promise<T>;
  onDrawn: OnDrawn;
  stopwatch: Clock;
}): DrawPoints {
  const { guard, stopwatch } = deps;
  const open = new Map<string, { draw: OpenDraw; answered: Promise<void> }>();

  const send = inBatches<OpenDraw, void>({
    async send(batch) {
      const sentAt = stopwatch();
      await guard(async () => {
        const drawn = await deps.send(batch.map(asDraw));
        // This also runs after the time limit, when no request waits any more, because the points are drawn.
        for (const { key, rule } of batch) {
          const own = drawn.get(key);
          if (own !== undefined) deps.onDrawn(key, rule, own, sentAt);
        }
      });
      return batch.map(() => undefined);
    },
    maxItems: maxKeysOfBatch,
    // The waiting requests have also waited for a database that does not answer in time.
    refusesWaiting: () => true,
  });

  return (key, rule) => {
    const underWay = open.get(key);
    if (underWay !== undefined) {
      underWay.draw.requests += 1;
      return underWay.answered;
    }
    const draw = { key, rule, requests: 1 };
    const answered = send(draw).finally(() => open.delete(key));
    open.set(key, { draw, answered });
    return answered;
  };
}

function asDraw({ key, rule, requests }: OpenDraw): Draw {
  return { key, limit: rule.points, windowMs: rule.windowSeconds * 1_000, waiting: requests };
}
