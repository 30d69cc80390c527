import { faultsOfWithdrawal } from './eligibility.rules.js';
import type { Finding, FoundPayment, NamedBy } from './payment.js';
import { closeUnitMs } from './payment-match.rules.js';
import { withFinding } from './payment-state.rules.js';
import {
  end,
  type IntentState,
  type Judgement,
  type TransitionLimits,
  transition,
} from './transition.rules.js';

/** The result of a ledger look-up of the payment that this party named. */
export interface LookUp {
  by: NamedBy;
  hash: string;
  finding: Finding;
}

/** The state after a ledger look-up. The result for a payment that was replaced meanwhile changes nothing. */
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
  // The intent expired as unpaid, so it is reopened.
  if (ending.status === 'expired') return takenUpAgain(paid, nowMs);
  const { status, reason, recordedAtMs, recoveredAtMs } = ending;
  return end(paid, paid.payment.told, { status, reason, recordedAtMs, recoveredAtMs, evidence: 'ledger' });
}

/**
 * Reopens an intent that had expired. It was not followed meanwhile, so nothing ends it before the next look
 * (transition.rules.ts), and a closed withdrawal may still be completed for as long as one that was closed just now.
 */
export function takenUpAgain(state: IntentState, nowMs: number): IntentState {
  const { observations, payment } = state;
  const sinceNow = (sinceMs: number | null) => (sinceMs === null ? null : nowMs);
  return {
    ...state,
    observations: {
      ...observations,
      closedSinceMs: sinceNow(observations.closedSinceMs),
      notOpenSinceMs: sinceNow(observations.notOpenSinceMs),
    },
    payment: { ...payment, takenUpAtMs: nowMs },
    ending: null,
  };
}

/** The state after this payment, whose ledger's close is the receipt of the funds. The outcome is not decided here. */
export function paidBy(state: IntentState, found: FoundPayment): IntentState {
  const { closedAtMs } = found;
  const { unscoredReason } = state.judgement;
  const { faultySinceMs } = state.observations;
  // Only a fault from before the payment stays: a paid anchor could otherwise keep its failures unscored by later records.
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
