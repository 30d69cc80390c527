import type { IntentDocument } from './intent-document.js';
import type { IntentState } from './transition.rules.js';

/** What the rules need of a stored intent. */
export function toState(intent: IntentDocument): IntentState {
  const { outcome, recoveredAt, quote } = intent;
  return {
    terms: {
      account: intent.account,
      sellAmount: intent.sellAmount,
      sellAsset: intent.corridorTerms.sellAsset,
      buyAsset: intent.corridorTerms.buyAsset,
      overdueAfterSeconds: intent.corridorTerms.overdueAfterSeconds,
      createdAtMs: intent.createdAt.getTime(),
      quote,
    },
    deadlineMs: intent.deadline.getTime(),
    attachedAtMs: intent.attachedAt?.getTime() ?? null,
    sightings: intent.sightings,
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
            shortfallPpb: outcome.shortfallPpb,
          },
  };
}

/** The fields that a transition may have changed, as they are stored. */
export function toFields(state: IntentState) {
  const { ending, judgement } = state;
  return {
    status: ending?.status ?? ('pending' as const),
    sightings: state.sightings,
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
            shortfallPpb: ending.shortfallPpb,
          },
    recoveredAt: ending === null || ending.recoveredAtMs === null ? null : new Date(ending.recoveredAtMs),
  };
}
