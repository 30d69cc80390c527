import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { ApiError } from '../../errors.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { ClientSession } from '../../mongo/transactions.js';
import type { Clock, RateLimitState } from '../../ports.js';
import type { DisputeStore, DisputeWindowDocument } from './store.js';

/** What is recorded in 24 hours: disputes of a key, and unsupported ones of a client and against an anchor. */
const most = { key: rateLimitClasses.dispute.points, client: 3, anchor: 200 };
const windowMs = rateLimitClasses.dispute.windowSeconds * 1_000;

const spentMessages = {
  key: 'This key has filed ten disputes within 24 hours.',
  client:
    'Too many disputes of transactions that no anchor showed were filed from your address within 24 hours.',
  anchor: 'Too many disputes of transactions that this anchor never showed were filed within 24 hours.',
};

type Kind = keyof typeof most;

export type ShowLimit = (state: RateLimitState) => void;
export type DisputeLimits = ReturnType<typeof createDisputeLimits>;

/**
 * The limits of disputes, of which nobody can use up those of a key but its owner. Attempts are counted per key and client,
 * before the signature is verified, so bad signatures use up only the sender's own. Each recorded dispute takes a point of
 * the key, in its transaction: a captured dispute that is sent again costs its owner nothing.
 */
export function createDisputeLimits(deps: {
  store: Pick<DisputeStore, 'findWindow' | 'countInWindow'>;
  limiter: Pick<RateLimiter, 'take'>;
  clock: Clock;
}) {
  const { store, limiter, clock } = deps;

  return {
    /** Counts an attempt, before verification. Throws RATE_LIMITED. */
    async takeAttempt(account: string, client: string, show: ShowLimit): Promise<void> {
      const state = await limiter.take(rateLimitClasses.dispute, attemptOf(account, client));
      show(state);
      refuse(state, 'Too many disputes of this key were sent from your address.');
    },

    /** What is left, with `retryAfterSeconds` where that is nothing. Clients are named by a hash. */
    async left(session: ClientSession, kind: Kind, name: string): Promise<RateLimitState> {
      const nowMs = clock();
      const window = await store.findWindow(session, idOf(kind, name));
      const isRunning = window !== null && window.endsAt.getTime() > nowMs;
      return toState(kind, isRunning ? window : { used: 0, endsAt: new Date(nowMs + windowMs) }, nowMs);
    },

    /** Throws RATE_LIMITED for a state in which nothing is left. */
    refuseSpent: (kind: Kind, state: RateLimitState) => refuse(state, spentMessages[kind]),

    /** Takes a point in the transaction that records a dispute: both happen or neither. */
    async count(session: ClientSession, kind: Kind, name: string): Promise<RateLimitState> {
      const nowMs = clock();
      const [now, endOfNew] = [new Date(nowMs), new Date(nowMs + windowMs)];
      const window = await store.countInWindow(session, idOf(kind, name), now, endOfNew);
      return { ...toState(kind, window, nowMs), retryAfterSeconds: undefined };
    },
  };
}

function refuse({ retryAfterSeconds }: RateLimitState, message: string): void {
  if (retryAfterSeconds === undefined) return;
  throw new ApiError('RATE_LIMITED', message, { retryAfter: retryAfterSeconds });
}

function toState(
  kind: Kind,
  { used, endsAt }: Pick<DisputeWindowDocument, 'used' | 'endsAt'>,
  nowMs: number,
): RateLimitState {
  const [limit, endsAtMs] = [most[kind], endsAt.getTime()];
  const waitSeconds = Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.ceil(endsAtMs / 1_000),
    retryAfterSeconds: used >= limit ? waitSeconds : undefined,
  };
}

function attemptOf(account: string, client: string): string {
  return `dispute_attempt|${account}|${client}`;
}

function idOf(kind: Kind, name: string): string {
  return kind === 'key' ? `key ${name}` : `unsupported ${kind} ${name}`;
}
