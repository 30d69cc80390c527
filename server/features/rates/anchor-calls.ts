import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import {
  type Breaker,
  type CallBudget,
  createBreaker,
  createCallBudget,
} from '../../outbound/call-limits.js';
import { pauseOf } from '../../outbound/upstream-fault.js';
import type { Clock } from '../../ports.js';

/** What a call is for. Nobody can cause more calls at reference amounts than a corridor needs. */
export type Purpose = 'reference' | 'intent' | 'other';

export interface CallResult<T> {
  value: T;
  /** Whether the anchor failed or its answer was malformed. A refusal of an amount is neither. */
  failed: boolean;
  /** The anchor asks for a pause, with its Retry-After if it gave one. */
  pause?: { retryAfter: string | undefined };
}

/** Makes the call, or returns the reason why the anchor may not be called now. */
export type CallAnchor<T> = (
  anchorId: string,
  purpose: Purpose,
  call: () => Promise<CallResult<T>>,
) => Promise<{ value: T } | { reason: Extract<UnavailableReason, 'busy' | 'circuit_open'> }>;

/**
 * A fifth of an anchor's calls is for intents alone. The rest is common, and a part of it for reference amounts alone, so
 * that no stream of other amounts lets those go stale.
 */
const shares = { intents: 0.2, reference: 0.8, others: 0.6 } as const;
/** After an answer at the reference amount, failures at other amounts do not count for this long: clients choose those. */
const trustedMs = 30_000;

interface Anchor<T> {
  breaker: Breaker<CallResult<T> & { counts: boolean }>;
  common: CallBudget;
  intents: CallBudget;
  pausedUntil: number;
  wellAtReferenceAt: number;
}

/** The one circuit breaker and the budget of calls of each anchor. */
export function createAnchorCalls<T>(deps: { clock: Clock; callsPerSecond: number }): CallAnchor<T> {
  const { clock, callsPerSecond } = deps;
  const callsOf = (share: keyof typeof shares) => Math.floor(callsPerSecond * shares[share]);
  /** One for each anchor of the fleet. */
  const anchors = new Map<string, Anchor<T>>();

  function anchorOf(id: string): Anchor<T> {
    const anchor = anchors.get(id) ?? {
      breaker: createBreaker(({ failed, counts }) => failed && counts),
      common: createCallBudget(clock),
      intents: createCallBudget(clock),
      pausedUntil: 0,
      wellAtReferenceAt: 0,
    };
    anchors.set(id, anchor);
    return anchor;
  }

  function takeCall({ common, intents }: Anchor<T>, purpose: Purpose): boolean {
    if (purpose === 'reference') return common.take(callsOf('reference'));
    return common.take(callsOf('others')) || (purpose === 'intent' && intents.take(callsOf('intents')));
  }

  return async (id, purpose, call) => {
    const anchor = anchorOf(id);
    if (clock() < anchor.pausedUntil || !takeCall(anchor, purpose)) return { reason: 'busy' };
    const result = await anchor.breaker.run(async () => {
      const { value, failed, pause } = await call();
      const now = clock();
      if (pause !== undefined) anchor.pausedUntil = now + pauseOf(pause.retryAfter, now);
      if (purpose === 'reference' && !failed) anchor.wellAtReferenceAt = now;
      const isTrusted = now - anchor.wellAtReferenceAt < trustedMs;
      return { value, failed, counts: purpose === 'reference' || !isTrusted };
    });
    return result === 'open' ? { reason: 'circuit_open' } : { value: result.value };
  };
}
