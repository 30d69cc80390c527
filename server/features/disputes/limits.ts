import type { ClientSession } from 'mongoose';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { ApiError } from '../../errors.js';
import type { RateLimitState } from '../../http/rate-limiter.js';
import type { Clock } from '../../ports.js';
import type { DisputeWindow, DisputeWindowModel } from './store.js';

const { points, windowSeconds } = rateLimitClasses.dispute;

/**
 * The dispute limit of a public key, such that nobody else can use it up. Attempts count per key and client, before
 * the signature is verified: bad signatures cost a stranger his own. The points of the key itself are taken by the
 * disputes that are recorded, each once: a captured dispute costs its owner nothing more, however often, from however
 * many addresses and on whatever day it is sent again.
 *
 * Counted here rather than by the general limiter, whose 150 ms and fallback to the process are made for reads: what
 * lets signatures through must hold whatever the load, and a point must be part of the transaction it is taken for.
 */
export interface DisputeLimits {
  /** Before verification. Throws RATE_LIMITED. */
  takeAttempt(account: string, client: string, show: ShowLimit): Promise<void>;
  /** What is left to the key: a refusal where it is nothing. Takes no point. */
  pointsLeft(account: string): Promise<RateLimitState>;
  /** In the transaction that records a dispute: both or neither. Throws RATE_LIMITED. */
  takePoint(session: ClientSession, account: string): Promise<RateLimitState>;
}

export type ShowLimit = (state: RateLimitState) => void;

export function createDisputeLimits(deps: { windows: DisputeWindowModel; clock: Clock }): DisputeLimits {
  const { windows, clock } = deps;

  /** One more in the fixed window of this counter; the first one begins it. */
  async function count(_id: string, nowMs: number, session?: ClientSession): Promise<DisputeWindow> {
    const runs = { $gt: ['$endsAt', new Date(nowMs)] };
    const used = { $cond: [runs, { $add: ['$used', 1] }, 1] };
    const endsAt = { $cond: [runs, '$endsAt', endOfNew(nowMs)] };
    return windows
      .findOneAndUpdate({ _id }, [{ $set: { used, endsAt } }], { upsert: true, returnDocument: 'after' })
      .session(session ?? null)
      .orFail()
      .lean<DisputeWindow>();
  }

  return {
    async takeAttempt(account, client, show) {
      const nowMs = clock();
      const state = toState(await count(`attempt ${account} ${client}`, nowMs), nowMs, points);
      show(state);
      refuseIfSpent(state, 'Too many disputes of this key were sent from your address.');
    },

    async pointsLeft(account) {
      const nowMs = clock();
      const window = await windows.findById(keyId(account)).lean<DisputeWindow>();
      const runs = window !== null && window.endsAt.getTime() > nowMs;
      return toState(runs ? window : { used: 0, endsAt: endOfNew(nowMs) }, nowMs, points - 1);
    },

    async takePoint(session, account) {
      const nowMs = clock();
      const state = toState(await count(keyId(account), nowMs, session), nowMs, points);
      refuseKeyIfSpent(state);
      return state;
    },
  };
}

export function refuseKeyIfSpent(state: RateLimitState): void {
  refuseIfSpent(state, `This key has filed ${points} disputes within 24 hours.`);
}

function refuseIfSpent({ retryAfterSeconds }: RateLimitState, message: string): void {
  if (retryAfterSeconds === undefined) return;
  throw new ApiError('RATE_LIMITED', message, { retryAfter: retryAfterSeconds });
}

function keyId(account: string): string {
  return `key ${account}`;
}

function endOfNew(nowMs: number): Date {
  return new Date(nowMs + windowSeconds * 1_000);
}

/** A refusal where more than `granted` are used. */
function toState(
  { used, endsAt }: Pick<DisputeWindow, 'used' | 'endsAt'>,
  nowMs: number,
  granted: number,
): RateLimitState {
  const endsAtMs = endsAt.getTime();
  return {
    limit: points,
    remaining: Math.max(0, points - used),
    resetSeconds: Math.ceil(endsAtMs / 1_000),
    retryAfterSeconds: used > granted ? Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000)) : undefined,
  };
}
