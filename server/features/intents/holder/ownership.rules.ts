import type { TransactionProblem } from '../../../../contract/schemas/intents.js';
import type { Intent } from '../intent.js';
import { lateFundsMs } from '../payment/payment-match.rules.js';
import { handedAway, handedOn, nextLookUpMs } from '../payment/payment-state.rules.js';
import { faultsOfWithdrawal, identityFault, problemOf } from '../record/eligibility.rules.js';
import { nothingFollowed } from '../transition/settle-time.rules.js';

/** Whoever attaches an id this long before the anchor says that the withdrawal began has guessed it. */
const guessedBeforeMs = 60_000;

/**
 * The intent with a transaction that no other intent holds, in place of what the intent had or claimed before. `waits`: its client
 * has no place left among the polls.
 */
export function attachment(intent: Intent, transactionId: string, now: Date, waits: boolean): Intent {
  const poll = waits ? 'waiting' : 'unconfirmed';
  const due = waits ? claimEnd(intent) : now;
  return { ...intent, ...nothingFollowed, transactionId, attachedAt: now, poll, due };
}

/** The intent with a claim on a transaction that another intent holds; an earlier claim keeps its time and problem. */
export function claim(intent: Intent, transactionId: string, now: Date): Intent {
  if (intent.claimedId === transactionId) return intent;
  return claiming(intent, transactionId, now, 'held_by_another');
}

function claiming(
  intent: Intent,
  claimedId: string | undefined,
  claimedAt: Date | null,
  problem: TransactionProblem,
): Intent {
  return { ...intent, ...nothingFollowed, claimedId, claimedAt, problem, due: claimEnd(intent) };
}

/**
 * The holder after its transaction passed to another intent: only a claim on the transaction remains. An outcome that the
 * holder has stays, and so does whether it counts.
 */
export function handedOver(holder: Intent): Intent {
  return {
    ...claiming(holder, holder.transactionId, holder.attachedAt, 'passed_to_another'),
    payment: handedAway(holder.payment),
    contradicted: false,
    unscoredReason: holder.outcome === null ? null : holder.unscoredReason,
  };
}

/**
 * The claimant that a transaction passes to, with what was observed of it so far, which its own terms judge. Its outcome
 * counts only if it was observed without funds at some time after this intent presented it, as for any other intent.
 * Otherwise a wallet could wait for the outcome and then decide whether it counts.
 */
export function takenOver(claimant: Intent, holder: Intent, now: Date, byLedger = false): Intent {
  const presentedAt = claimant.claimedAt ?? now;
  const { told, observations } = holder;
  const { firstAtMs, unfundedAtMs, fundedAtMs } = observations;
  const seenSince = unfundedAtMs !== null && unfundedAtMs >= presentedAt.getTime();
  const handed = handedOn(holder.payment, claimant.payment);
  const payment = byLedger ? { ...handed, passedByLedger: true as const } : handed;
  const lookUpMs = nextLookUpMs(payment, now.getTime());
  const fault = told === null ? null : identityFault(told, claimant);
  return {
    ...claimant,
    ...nothingFollowed,
    transactionId: holder.transactionId,
    attachedAt: presentedAt,
    poll: firstAtMs === null ? 'unconfirmed' : 'confirmed',
    observations: {
      ...observations,
      unfundedAtMs: seenSince ? unfundedAtMs : null,
      faultySinceMs: faultsOfWithdrawal.has(fault) ? firstAtMs : null,
    },
    told,
    amountIn: holder.amountIn,
    payment,
    lookUpDue: lookUpMs === null ? undefined : new Date(lookUpMs),
    unscoredReason: fault ?? (fundedAtMs === null || seenSince ? null : 'seen_after_payment'),
    problem: told === null ? null : problemOf(told, claimant),
    due: now,
  };
}

/** Whether the holder gives its transaction up to the payer: not once its own payment was found or its outcome is final. */
export function yieldsToPayer({ status, outcome, payment }: Intent): boolean {
  if (payment.found !== null || payment.passedByLedger) return false;
  return status === 'pending' || status === 'expired' || outcome?.evidence === 'unverified';
}

/**
 * The account whose intent should get the transaction; null where it stays, as it does once this intent has ended, and where
 * the ledger has shown who paid.
 */
export function ownerElsewhere(holder: Intent, sender: string | null): string | null {
  const { status, account, transactionId, payment } = holder;
  if (payment.passedByLedger) return null;
  return status === 'pending' && transactionId !== undefined && sender !== account ? sender : null;
}

/**
 * Whether the holder gives its transaction up to an intent that presents it later: where that one carries the signature of
 * the same account and the holder does not, or where the holder's wallet can only have guessed the id. A record that names
 * the holder's account as the sender, or a callback for it, tells that it has not.
 */
export function yieldsToClaimant(holder: Intent, claimant: Pick<Intent, 'account' | 'signed'>): boolean {
  if (holder.status !== 'pending' || holder.payment.found !== null) return false;
  if (holder.account === claimant.account && claimant.signed !== holder.signed) return claimant.signed;
  if (holder.payment.passedByLedger || holder.callbacks !== null || holder.told?.from === holder.account)
    return false;
  return holder.unknownPolls > 0 || isBeforeStart(holder);
}

/** The anchor's time for the start is never taken as later than the first sight of the withdrawal. */
function isBeforeStart({ attachedAt, told, observations: { firstAtMs } }: Intent): boolean {
  const startedAtMs = told?.startedAtMs ?? null;
  if (startedAtMs === null || attachedAt === null || firstAtMs === null) return false;
  return attachedAt.getTime() < Math.min(startedAtMs, firstAtMs) - guessedBeforeMs;
}

/** A claim stays open for as long as a payment made in time may take to be observed. */
function claimEnd({ deadline }: Intent): Date {
  return new Date(deadline.getTime() + lateFundsMs);
}
