import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { ApiError } from '../../errors.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { ClientSession } from '../../mongo/transactions.js';
import type { Clock, RateLimitState } from '../../ports.js';
import type { DisputeWindowStore } from './window-store.js';

/** What is recorded in 24 hours: disputes of a key, and unsupported ones of a client and against an anchor. */
const most = { key: rateLimitClasses.dispute.points, client: 3, anchor: 200 };
const windowMs = rateLimitClasses.dispute.windowSeconds * 1_000;

const spentMessages = {
  key: `This key has filed ${most.key} disputes within 24 hours.`,
  client:
    'Too many disputes of transactions that no anchor showed were filed from your address within 24 hours.',
  anchor: 'Too many disputes of transactions that this anchor never showed were filed within 24 hours.',
};

export type ShowLimit = (state: RateLimitState) => void;
export type DisputeLimits = ReturnType<typeof createDisputeLimits>;

/**
 * The limits of disputes, of which nobody can use up those of a key but its owner. Attempts are counted per key and client,
 * before the signature is verified, so bad signatures use up only the sender's own. Each recorded dispute takes a point of
 * the key, in its transaction: a captured dispute that is sent again costs its owner nothing.
 */
export function createDisputeLimits(deps: {
  windows: DisputeWindowStore;
  limiter: Pick<RateLimiter, 'take'>;
  clock: Clock;
}) {
  const { windows, limiter, clock } = deps;

  async function left(
    kind: keyof typeof most,
    name: string,
    session?: ClientSession,
  ): Promise<RateLimitState> {
    const nowMs = clock();
    const window = await windows.find(idOf(kind, name), session);
    const isRunning = window !== null && window.endsAt.getTime() > nowMs;
    return toState(kind, isRunning ? window : { used: 0, endsAt: new Date(nowMs + windowMs) }, nowMs);
  }

  /** Reads before it counts, so that refused disputes do not conflict with each other. */
  async function take(session: ClientSession, kind: keyof typeof most, name: string, show: ShowLimit) {
    const before = await left(kind, name, session);
    if (before.retryAfterSeconds !== undefined) show(before);
    refuseIfSpent(before, spentMessages[kind]);
    const nowMs = clock();
    const window = await windows.count(
      idOf(kind, name),
      new Date(nowMs),
      new Date(nowMs + windowMs),
      session,
    );
    return { ...toState(kind, window, nowMs), retryAfterSeconds: undefined };
  }

  return {
    /** Counts an attempt, before verification. Throws RATE_LIMITED. */
    async takeAttempt(account: string, client: string, show: ShowLimit): Promise<void> {
      const state = await limiter.take(rateLimitClasses.dispute, `dispute_attempt|${account}|${client}`);
      show(state);
      refuseIfSpent(state, 'Too many disputes of this key were sent from your address.');
    },

    /** What is left to the key, with `retryAfterSeconds` where that is nothing. */
    ofKey: (account: string) => left('key', account),

    /** Throws RATE_LIMITED for such a state of a key. */
    refuseSpentKey: (state: RateLimitState) => refuseIfSpent(state, spentMessages.key),

    /** Takes a point of the key in the transaction that records a dispute: both happen or neither. Throws RATE_LIMITED. */
    takePoint: (session: ClientSession, account: string, show: ShowLimit) =>
      take(session, 'key', account, show),

    /** Counts an unsupported dispute in the transaction that records it. `client` is a hash. Throws RATE_LIMITED. */
    async takeUnsupported(session: ClientSession, anchorId: string, client: string, show: ShowLimit) {
      const state = await take(session, 'client', client, show);
      await take(session, 'anchor', anchorId, show);
      return state;
    },
  };
}

function idOf(kind: keyof typeof most, name: string): string {
  return kind === 'key' ? `key ${name}` : `unsupported ${kind} ${name}`;
}

function refuseIfSpent({ retryAfterSeconds }: RateLimitState, message: string): void {
  if (retryAfterSeconds === undefined) return;
  throw new ApiError('RATE_LIMITED', message, { retryAfter: retryAfterSeconds });
}

function toState(
  kind: keyof typeof most,
  { used, endsAt }: { used: number; endsAt: Date },
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
