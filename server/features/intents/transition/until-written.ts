import { ApiError } from '../../../errors.js';
import type { PauseBeforeTry } from '../../../mongo/refused-writes.js';

const maxTries = 8;

/**
 * Others changed the intent during every try. A client is told to send its request again; a job leaves the intent for its
 * next run. The message names no intent, since a callback may have been applied to another one than it was sent to.
 */
export class ContendedIntentError extends ApiError {
  constructor(readonly intentHash: string) {
    super('NOT_READY', 'Too many requests change this intent at once; try again shortly.', { retryAfter: 1 });
    this.name = 'ContendedIntentError';
  }
}

/** Tries until a result; undefined where another writer came first. Throws ContendedIntentError. */
export async function untilWritten<T>(
  intentHash: string,
  pauseBeforeTry: PauseBeforeTry,
  attempt: (tries: number) => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    await pauseBeforeTry(tries);
    const result = await attempt(tries);
    if (result !== undefined) return result;
  }
  throw new ContendedIntentError(intentHash);
}
