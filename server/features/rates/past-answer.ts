import { utcInstant } from '../../../contract/verification/instant.js';
import { ApiError, invalidRequest } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { AnchorDirectory } from '../anchors/service.js';

export interface PastAnswer {
  /** The answer as it was sent, byte for byte. */
  text: Buffer;
  freshForSeconds: number;
}

/**
 * The latest sample of a corridor at or before an instant. A corridor that has left the fleet keeps its samples. Throws
 * INVALID_REQUEST for an instant of the future, UNKNOWN_CORRIDOR and UNKNOWN_SAMPLE.
 */
export type ReadPastAnswer = (corridorId: string, asOf: string) => Promise<PastAnswer>;

/** A sample is stored within seconds after it was taken, so the answer for an instant this long ago no longer changes. */
const settledAfterMs = 60_000;
const settledFreshSeconds = 86_400;
const latestFreshSeconds = 15;

/** The latest sample that the rate history has of a corridor at or before this instant, in epoch milliseconds. */
export type FindSampleAsOf = (corridorId: string, epochMs: number) => Promise<{ text: Buffer } | null>;

export function createReadPastAnswer(deps: {
  findSampleAsOf: FindSampleAsOf;
  directory: Pick<AnchorDirectory, 'corridor'>;
  clock: Clock;
}): ReadPastAnswer {
  return async (corridorId, asOf) => {
    const asOfMs = Date.parse(utcInstant(asOf) ?? '');
    const now = deps.clock();
    if (asOfMs > now) throw invalidRequest([{ path: 'query.asOf', message: 'must not be in the future' }]);
    const sample = await deps.findSampleAsOf(corridorId, asOfMs);
    if (sample === null) {
      if (deps.directory.corridor(corridorId) === undefined)
        throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${corridorId} is not served.`);
      throw new ApiError(
        'UNKNOWN_SAMPLE',
        `The history of ${corridorId} has no sample at or before ${asOf}.`,
      );
    }
    const isSettled = now - asOfMs >= settledAfterMs;
    return { text: sample.text, freshForSeconds: isSettled ? settledFreshSeconds : latestFreshSeconds };
  };
}
