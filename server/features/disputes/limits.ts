import type { ClientSession } from 'mongoose';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { ApiError } from '../../errors.js';
import type { RateLimiter, RateLimitState } from '../../http/rate-limiter.js';
import type { Clock } from '../../ports.js';
import type { KeyWindow, KeyWindowModel } from './store.js';

const rule = rateLimitClasses.dispute;
const windowMs = rule.windowSeconds * 1_000;
const retrySeconds = 2;

/**
 * The dispute limit of a public key, such that nobody else can use it up. Attempts count per key and client, before
 * the signature is verified: bad signatures cost a stranger his own. The points of the key itself are taken by the
 * disputes that are recorded, each once: a captured dispute costs its owner nothing more, however often, from however
 * many addresses and on whatever day it is sent again.
 */
export interface DisputeLimits {
  /** Before verification. Throws RATE_LIMITED; NOT_READY while the shared counters do not answer. */
  takeAttempt(account: string, client: string, show: ShowLimit): Promise<void>;
  /** What is left to the key: a refusal where it is nothing. Takes no point. */
  pointsLeft(account: string): Promise<RateLimitState>;
  /** In the transaction that records a dispute: both or neither. Throws RATE_LIMITED. */
  takePoint(session: ClientSession, account: string): Promise<RateLimitState>;
}

export type ShowLimit = (state: RateLimitState) => void;

export function createDisputeLimits(deps: {
  limiter: Pick<RateLimiter, 'consume'>;
  windows: KeyWindowModel;
  clock: Clock;
}): DisputeLimits {
  const { limiter, windows, clock } = deps;

  return {
    async takeAttempt(account, client, show) {
      const state = await limiter
        // Not counted in this process for a while: what lets signatures through must hold across all of them.
        .consume(rule, `disputeAttempt|${account}|${client}`, { strict: true })
        .catch((cause: unknown) => {
          throw new ApiError('NOT_READY', 'Disputes cannot be counted at the moment.', {
            retryAfter: retrySeconds,
            cause,
          });
        });
      show(state);
      refuseIfSpent(state, 'Too many disputes of this key were sent from your address.');
    },

    async pointsLeft(account) {
      const nowMs = clock();
      const window = await windows.findById(account).lean<KeyWindow>();
      if (window === null || window.endsAt.getTime() <= nowMs) return toState(0, nowMs + windowMs, nowMs);
      return toState(window.used, window.endsAt.getTime(), nowMs, window.used >= rule.points);
    },

    async takePoint(session, account) {
      const nowMs = clock();
      const runs = { $gt: ['$endsAt', new Date(nowMs)] };
      const { used, endsAt } = await windows
        .findOneAndUpdate(
          { _id: account },
          [
            {
              $set: {
                used: { $cond: [runs, { $add: ['$used', 1] }, 1] },
                endsAt: { $cond: [runs, '$endsAt', new Date(nowMs + windowMs)] },
              },
            },
          ],
          { session, upsert: true, returnDocument: 'after' },
        )
        .orFail()
        .lean<KeyWindow>();
      const state = toState(used, endsAt.getTime(), nowMs, used > rule.points);
      refuseKeyIfSpent(state);
      return state;
    },
  };
}

export function refuseKeyIfSpent(state: RateLimitState): void {
  refuseIfSpent(state, `This key has filed ${rule.points} disputes within 24 hours.`);
}

function refuseIfSpent({ retryAfterSeconds }: RateLimitState, message: string): void {
  if (retryAfterSeconds === undefined) return;
  throw new ApiError('RATE_LIMITED', message, { retryAfter: retryAfterSeconds });
}

function toState(used: number, endsAtMs: number, nowMs: number, refused = false): RateLimitState {
  return {
    limit: rule.points,
    remaining: Math.max(0, rule.points - used),
    resetSeconds: Math.ceil(endsAtMs / 1_000),
    retryAfterSeconds: refused ? Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000)) : undefined,
  };
}
