import type { TransactionProblem } from '../../../../contract/schemas/intents.js';
import type { Intent } from '../intent.js';
import { lateFundsMs } from '../payment/payment-match.rules.js';
import { handedAway, handedOn } from '../payment/payment-state.rules.js';
import { pollStateOf } from '../polls/poll-state.rules.js';
import { nothingObserved } from '../transition/settle-time.rules.js';

/** Faults of the transaction itself, whoever sent it, which therefore remain when it passes to another intent. */
const lastingFaults = ['not_a_withdrawal', 'asset_mismatch'] as const;
const lastingProblems: readonly (TransactionProblem | null)[] = ['not_a_withdrawal', 'other_asset'];

const notPolled = { poll: 'never', unknownPolls: 0 } as const;

/**
 * The intent with a transaction that no other intent holds, in place of what the intent had or claimed before. `waits`: its client
 * has no place left among the polls.
 */
export function attachment(intent: Intent, transactionId: string, now: Date, waits: boolean): Intent {
  return {
    ...intent,
    transactionId,
    attachedAt: now,
    ...notPolled,
    poll: waits ? 'waiting' : 'unconfirmed',
    due: waits ? claimEnd(intent) : now,
    dialect: null,
    problem: null,
    claimedId: undefined,
    claimedAt: null,
  };
}

/** The intent with a claim on a transaction that another intent holds; an earlier claim keeps its time and problem. */
export function claim(intent: Intent, transactionId: string, now: Date): Intent {
  const known = intent.claimedId === transactionId;
  return {
    ...intent,
    lookUpDue: undefined,
    transactionId: undefined,
    attachedAt: null,
    ...notPolled,
    dialect: null,
    claimedId: transactionId,
    claimedAt: known ? intent.claimedAt : now,
    problem: known ? intent.problem : 'held_by_another',
    due: claimEnd(intent),
  };
}

/**
 * The holder after its transaction passed to the sender's intent: only a claim on the transaction remains. An
 * outcome that the holder has stays, and so does whether it counts.
 */
export function handedOver(holder: Intent): Intent {
  return {
    ...holder,
    transactionId: undefined,
    attachedAt: null,
    ...notPolled,
    dialect: null,
    observations: nothingObserved,
    sender: null,
    amountIn: null,
    payment: handedAway(holder.payment),
    contradicted: false,
    unscoredReason: holder.outcome === null ? null : holder.unscoredReason,
    claimedId: holder.transactionId,
    claimedAt: holder.attachedAt,
    problem: 'passed_to_another',
    due: claimEnd(holder),
    lookUpDue: undefined,
  };
}

/**
 * The claimant that a transaction passes to. The observations of the transaction remain valid, but its
 * outcome counts only if it was observed without funds at some time after this intent presented it, as for any other
 * intent. Otherwise a wallet could wait for the outcome and then decide whether it counts.
 */
export function takenOver(claimant: Intent, holder: Intent, sender: string, now: Date): Intent {
  const presentedAt = claimant.claimedAt ?? now;
  const { firstAtMs, unfundedAtMs, fundedAtMs } = holder.observations;
  const seenSince = unfundedAtMs !== null && unfundedAtMs >= presentedAt.getTime();
  const payment = handedOn(holder.payment, claimant.payment);
  const lasting = lastingFaults.find((fault) => fault === holder.unscoredReason) ?? null;
  // After funds were observed, records are not judged any more. A transaction that passes this late is not scored.
  const unscoredReason = lasting ?? (fundedAtMs === null ? null : 'seen_after_payment');
  return {
    ...claimant,
    transactionId: holder.transactionId,
    attachedAt: presentedAt,
    poll: pollStateOf({ attached: true, seen: firstAtMs !== null, unknownPolls: 0, waits: false }),
    unknownPolls: 0,
    dialect: holder.dialect,
    observations: { ...holder.observations, unfundedAtMs: seenSince ? unfundedAtMs : null },
    sender,
    amountIn: holder.amountIn,
    payment,
    lookUpDue: payment.named.length > 0 ? now : undefined,
    unscoredReason,
    claimedId: undefined,
    claimedAt: null,
    problem: lastingProblems.includes(holder.problem) ? holder.problem : null,
    due: now,
  };
}

/** Whether the holder gives its transaction up to the payer: not once its own payment was found or its outcome is final. */
export function yieldsToPayer({ status, outcome, payment }: Intent): boolean {
  if (payment.found !== null) return false;
  return status === 'pending' || status === 'expired' || outcome?.evidence === 'unverified';
}

/** The account whose intent should get the transaction; null where it stays, as it does once this intent has ended. */
export function ownerElsewhere(
  intent: Pick<Intent, 'status' | 'account' | 'transactionId'>,
  sender: string | null,
): string | null {
  const mayPass = intent.status === 'pending' && intent.transactionId !== undefined;
  return mayPass && sender !== intent.account ? sender : null;
}

/** A claim stays open for as long as a payment made in time may take to be observed. */
function claimEnd({ deadline }: Intent): Date {
  return new Date(deadline.getTime() + lateFundsMs);
}
