import { createBreaker, createCallBudget } from '../../outbound/call-limits.js';
import { pauseOf } from '../../outbound/upstream-fault.js';
import type { Clock } from '../../ports.js';
import type { QuoteResult } from './offer.rules.js';

/** What a call is for. Nobody can cause more calls at reference amounts than a corridor needs. */
export type Purpose = 'reference' | 'intent' | 'other';

export interface CallResult {
  value: QuoteResult;
  /** Whether the anchor failed or its answer was malformed. A refusal of an amount is neither. */
  failed: boolean;
  /** The anchor asks for a pause, with its Retry-After if it gave one. */
  pause?: { retryAfter: string | undefined };
}

/**
 * A fifth of an anchor's calls is for intents alone. The rest is common, and a part of it for reference amounts alone, so
 * that no stream of other amounts lets those go stale.
 */
const shares = { intents: 0.2, reference: 0.8, others: 0.6 } as const;
/** After an answer at the reference amount, failures at other amounts do not count for this long: clients choose those. */
const trustedMs = 30_000;

/** Makes the call, or returns the reason why the anchor may not be called now. */
export type CallAnchor = ReturnType<typeof createAnchorCalls>;

/** The one circuit breaker and the budget of calls of each anchor. */
export function createAnchorCalls(deps: { clock: Clock; callsPerSecond: number }) {
  const { clock, callsPerSecond } = deps;
  const callsOf = (share: keyof typeof shares) => Math.floor(callsPerSecond * shares[share]);
  const createAnchor = () => ({
    breaker: createBreaker(({ failed, counts }: CallResult & { counts: boolean }) => failed && counts),
    common: createCallBudget(clock),
    intents: createCallBudget(clock),
    pausedUntil: 0,
    wellAtReferenceAt: 0,
  });
  /** One for each anchor of the fleet. */
  const anchors = new Map<string, ReturnType<typeof createAnchor>>();

  function takeCall({ common, intents }: ReturnType<typeof createAnchor>, purpose: Purpose): boolean {
    if (purpose === 'reference') return common.take(callsOf('reference'));
    return common.take(callsOf('others')) || (purpose === 'intent' && intents.take(callsOf('intents')));
  }

  return async (id: string, purpose: Purpose, call: () => Promise<CallResult>): Promise<QuoteResult> => {
    const anchor = anchors.get(id) ?? createAnchor();
    anchors.set(id, anchor);
    if (clock() < anchor.pausedUntil || !takeCall(anchor, purpose)) return { reason: 'busy' };
    const result = await anchor.breaker.run(async () => {
      const { value, failed, pause } = await call();
      const now = clock();
      if (pause !== undefined) anchor.pausedUntil = now + pauseOf(pause.retryAfter, now);
      if (purpose === 'reference' && !failed) anchor.wellAtReferenceAt = now;
      const isTrusted = now - anchor.wellAtReferenceAt < trustedMs;
      return { value, failed, counts: purpose === 'reference' || !isTrusted };
    });
    return result === 'open' ? { reason: 'circuit_open' } : result.value;
  };
}
