import { faultsOfWithdrawal } from './eligibility.rules.js';
import type { Finding, FoundPayment, NamedBy } from './payment.js';
import { closeUnitMs } from './payment-match.rules.js';
import { withFinding } from './payment-state.rules.js';
import { notOpenSinceMs } from './settle-time.rules.js';
import {
  end,
  type IntentState,
  type Judgement,
  type TransitionLimits,
  transition,
} from './transition.rules.js';

/** What a look at the ledger says of the payment that this party named. */
export interface LookUp {
  by: NamedBy;
  hash: string;
  finding: Finding;
}

/** The state after a look at the ledger. A named payment that was replaced meanwhile changes nothing. */
export function withLookUp(
  state: IntentState,
  { by, hash, finding }: LookUp,
  nowMs: number,
  limits: TransitionLimits,
): IntentState {
  const isNamed = state.payment.named.some((each) => each.by === by && each.hash === hash);
  if (!isNamed || state.payment.found !== null) return state;
  const after = { ...state, payment: withFinding(state.payment, by, finding, nowMs) };
  if (finding.kind === 'problem') return transition(after, null, nowMs, limits);
  const paid = paidBy(after, finding.payment);
  const { ending } = paid;
  if (ending === null) return transition(paid, null, nowMs, limits);
  // One that expired did so as if nobody had paid.
  if (ending.status === 'expired') return takenUpAgain(paid, nowMs);
  const { status, reason, recordedAtMs, recoveredAtMs } = ending;
  return end(paid, paid.payment.told, { status, reason, recordedAtMs, recoveredAtMs, evidence: 'ledger' });
}

/**
 * An intent that had expired, open again. It was not followed meanwhile, so that nothing ends it before a look at it was
 * made (transition.rules.ts), and a withdrawal that is closed may be completed for as long as one closed just now.
 */
export function takenUpAgain(state: IntentState, nowMs: number): IntentState {
  const { observations, payment } = state;
  const sinceNow = (sinceMs: number | null) => (sinceMs === null ? null : nowMs);
  return {
    ...state,
    observations: {
      ...observations,
      closedSinceMs: sinceNow(observations.closedSinceMs),
      notOpenSinceMs: sinceNow(notOpenSinceMs(observations)),
    },
    payment: { ...payment, takenUpAtMs: nowMs },
    ending: null,
  };
}

/** The state whose funds were received by this payment, when its ledger closed. How it ends is not decided here. */
export function paidBy(state: IntentState, found: FoundPayment): IntentState {
  const { closedAtMs } = found;
  const { unscoredReason } = state.judgement;
  const { faultySinceMs } = state.observations;
  // An anchor that was paid could keep its failures unscored by what it says only then.
  const stoodBefore = typeof faultySinceMs === 'number' && faultySinceMs < closedAtMs;
  const lasting = stoodBefore && faultsOfWithdrawal.has(unscoredReason) ? unscoredReason : null;
  const isLate = state.attachedAtMs !== null && state.attachedAtMs >= closedAtMs + closeUnitMs;
  const judgement: Judgement = {
    unscoredReason: lasting ?? (isLate ? 'seen_after_payment' : null),
    amountIn: found.amount,
  };
  return {
    ...state,
    observations: { ...state.observations, fundedAtMs: closedAtMs, paidAtMs: closedAtMs },
    judgement,
    sender: state.terms.account,
    payment: { ...state.payment, found },
  };
}
