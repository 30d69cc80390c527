import type { Intent } from './intent.js';
import { isContradicted } from './payment-state.rules.js';
import { type IntentState, pollStateOfState } from './transition.rules.js';

/** The part of an intent that the transition function needs. */
export function toState(intent: Intent): IntentState {
  const { outcome, recoveredAt, quote } = intent;
  return {
    terms: {
      account: intent.account,
      sellAmount: intent.sellAmount,
      sellAsset: intent.corridorTerms.sellAsset,
      buyAsset: intent.corridorTerms.buyAsset,
      overdueAfterSeconds: intent.corridorTerms.overdueAfterSeconds,
      mayBeCollected: intent.corridorTerms.mayBeCollected ?? true,
      createdAtMs: intent.createdAt.getTime(),
      quote,
    },
    deadlineMs: intent.deadline.getTime(),
    attachedAtMs: intent.attachedAt?.getTime() ?? null,
    unknownPolls: intent.unknownPolls,
    waits: intent.poll === 'waiting',
    observations: intent.observations,
    problem: intent.problem,
    sender: intent.sender,
    claims: intent.claimedId !== undefined,
    payment: intent.payment,
    judgement: { unscoredReason: intent.unscoredReason, amountIn: intent.amountIn },
    ending:
      outcome === null
        ? null
        : {
            status: outcome.kind,
            reason: outcome.reason,
            recordedAtMs: outcome.recordedAt.getTime(),
            recoveredAtMs: recoveredAt?.getTime() ?? null,
            settleSeconds: outcome.settleSeconds,
            timesKnown: outcome.timesKnown ?? false,
            shortfallPpb: outcome.shortfallPpb,
            amountOut: outcome.amountOut ?? null,
            evidence: outcome.evidence ?? 'anchor',
          },
  };
}

/** The fields of the intent that a transition may have changed. */
export function toFields(state: IntentState) {
  const { ending, judgement, payment } = state;
  const { found } = payment;
  return {
    payment,
    ...(found === null ? {} : { paymentId: found.operationId }),
    contradicted: isContradicted(payment),
    status: ending?.status ?? ('pending' as const),
    observations: state.observations,
    poll: pollStateOfState(state),
    unknownPolls: state.unknownPolls,
    problem: state.problem,
    sender: state.sender,
    amountIn: judgement.amountIn,
    scored: judgement.unscoredReason === null,
    unscoredReason: judgement.unscoredReason,
    outcome:
      ending === null
        ? null
        : {
            kind: ending.status,
            reason: ending.reason,
            recordedAt: new Date(ending.recordedAtMs),
            settleSeconds: ending.settleSeconds,
            timesKnown: ending.timesKnown,
            shortfallPpb: ending.shortfallPpb,
            amountOut: ending.amountOut,
            evidence: ending.evidence,
          },
    recoveredAt: ending === null || ending.recoveredAtMs === null ? null : new Date(ending.recoveredAtMs),
  };
}
