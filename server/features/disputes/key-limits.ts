import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { ApiError } from '../../errors.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { ClientSession } from '../../mongo/transactions.js';
import type { Clock, RateLimitState } from '../../ports.js';
import type { DisputeWindowDocument, DisputeWindowStore } from './store.js';
import { spentUnsupported, unsupportedLimits } from './unsupported.rules.js';

const { points, windowSeconds } = rateLimitClasses.dispute;

/**
 * The dispute limit of a public key, which nobody else can use up. Attempts are counted per key and client, before the
 * signature is verified, so bad signatures use up only the sender's own attempts. Each recorded dispute takes one point of
 * the key itself: a captured dispute that is sent again costs its owner nothing, however often, from however many
 * addresses and on whatever day.
 *
 * Attempts are drawn one by one. A point is taken in the transaction that records its dispute.
 */
export interface DisputeLimits {
  /** Counts an attempt, before verification. Throws RATE_LIMITED. */
  takeAttempt(account: string, client: string, show: ShowLimit): Promise<void>;
  /** The remaining points of the key, with `retryAfterSeconds` where there are none. Takes no point. */
  pointsLeft(account: string): Promise<RateLimitState>;
  /**
   * Counts an unsupported dispute (unsupported.rules.ts) in the transaction that records it. Throws RATE_LIMITED where the
   * client (a hash), or the anchor, has too many of them.
   */
  takeUnsupported(
    session: ClientSession,
    of: { anchorId: string; client: string },
    show: ShowLimit,
  ): Promise<RateLimitState>;
  /** Takes a point in the transaction that records a dispute: both happen or neither. Throws RATE_LIMITED. */
  takePoint(session: ClientSession, account: string, show: ShowLimit): Promise<RateLimitState>;
}

type Window = Pick<DisputeWindowDocument, 'used' | 'endsAt'>;

export type ShowLimit = (state: RateLimitState) => void;

export function createDisputeLimits(deps: {
  windows: DisputeWindowStore;
  limiter: Pick<RateLimiter, 'take'>;
  clock: Clock;
}): DisputeLimits {
  const { windows, limiter, clock } = deps;

  /** The running window of this key, or an unused one. */
  async function windowOf(key: string, nowMs: number, session?: ClientSession): Promise<Window> {
    const window = await windows.find(key, session);
    const isRunning = window !== null && window.endsAt.getTime() > nowMs;
    return isRunning ? window : { used: 0, endsAt: windowTimes(nowMs).endOfNew };
  }

  return {
    async takeAttempt(account, client, show) {
      const state = await limiter.take(rateLimitClasses.dispute, `dispute_attempt|${account}|${client}`);
      show(state);
      refuseIfSpent(state, 'Too many disputes of this key were sent from your address.');
    },

    async pointsLeft(account) {
      const nowMs = clock();
      const window = await windowOf(keyId(account), nowMs);
      return toState(window, nowMs, points - 1);
    },

    /** Reads before it counts, so that refused ones do not conflict with each other. */
    async takeUnsupported(session, { anchorId, client }, show) {
      const nowMs = clock();
      const keys = { client: `unsupported client ${client}`, anchor: `unsupported anchor ${anchorId}` };
      const ofClient = await windowOf(keys.client, nowMs, session);
      const ofAnchor = await windowOf(keys.anchor, nowMs, session);
      const spent = spentUnsupported(ofClient.used, ofAnchor.used);
      if (spent !== null) {
        const { endsAt } = spent === 'perClient' ? ofClient : ofAnchor;
        const limit = unsupportedLimits[spent];
        const state = toState({ used: limit, endsAt }, nowMs, limit - 1, limit);
        show(state);
        refuseIfSpent(state, spentMessages[spent]);
      }
      await windows.count(keys.anchor, windowTimes(nowMs), session);
      const counted = await windows.count(keys.client, windowTimes(nowMs), session);
      const { perClient } = unsupportedLimits;
      return toState(counted, nowMs, perClient, perClient);
    },

    async takePoint(session, account, show) {
      const nowMs = clock();
      const state = toState(await windows.count(keyId(account), windowTimes(nowMs), session), nowMs, points);
      if (state.retryAfterSeconds !== undefined) show(state);
      refuseKeyIfSpent(state);
      return state;
    },
  };
}

const spentMessages = {
  perClient:
    'Too many disputes of transactions that no anchor showed were filed from your address within 24 hours.',
  perAnchor: 'Too many disputes of transactions that this anchor never showed were filed within 24 hours.',
};

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

function windowTimes(nowMs: number) {
  return { now: new Date(nowMs), endOfNew: new Date(nowMs + windowSeconds * 1_000) };
}

/** Sets `retryAfterSeconds` where more than `granted` are used. */
function toState(
  { used, endsAt }: Window,
  nowMs: number,
  granted: number,
  limit: number = points,
): RateLimitState {
  const endsAtMs = endsAt.getTime();
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.ceil(endsAtMs / 1_000),
    retryAfterSeconds: used > granted ? Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000)) : undefined,
  };
}
