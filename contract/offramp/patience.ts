import { type OfframpErrorCode, Stop } from './errors.js';
import { Unavailable } from './exchange.js';
import type { Run } from './options.js';

const firstWaitMs = 500;
const longestWaitMs = 8_000;

type UnavailableCode = Extract<OfframpErrorCode, `${string}_unavailable`>;

/** Retries while the party is unavailable, for `patienceMs`, with growing waits that are no shorter than it asks. */
export async function patiently<T>(run: Run, code: UnavailableCode, call: () => Promise<T>): Promise<T> {
  const endsAt = run.clock() + run.patienceMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const pauseMs = Math.max(waitMs, error.retryAfterMs ?? 0);
      if (run.clock() + pauseMs > endsAt) throw new Stop(code, { detail: error.message, cause: error });
      await run.wait(pauseMs, run.signal);
    }
  }
}

/** Awaits the promise, or rejects when the signal aborts first: wallets and pages do not know the signal. */
export function untilAborted<T>(run: Run, waitedFor: Promise<T>): Promise<T> {
  const { signal } = run;
  if (signal === undefined) return waitedFor;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    waitedFor.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The result of the call, or null if the party is unavailable at the moment. */
export async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unavailable) return null;
    throw error;
  }
}
