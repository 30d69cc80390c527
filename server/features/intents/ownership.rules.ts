import type { TransactionProblem } from '../../../contract/schemas/intents.js';
import type { Intent, IntentChange } from './intent.js';
import { toFields, toState } from './intent-state.rules.js';
import { lookQueueOf } from './look-queue.rules.js';
import type { FoundPayment } from './payment.js';
import { handedAway, handedOn, nextLookUpMs } from './payment-state.rules.js';
import { paidBy, takenUpAgain } from './payment-transition.rules.js';
import { nothingObserved } from './settle-time.rules.js';
import { lateFundsMs } from './transition.rules.js';

/** Faults of the transaction itself, whoever sent it, which therefore remain when it passes to another intent. */
const lastingFaults = ['not_a_withdrawal', 'asset_mismatch'] as const;
const lastingProblems: readonly (TransactionProblem | null)[] = ['not_a_withdrawal', 'other_asset'];

const waitingForFirstLook = { lookQueue: 'new', unknownLooks: 0, firstLookAt: null } as const;
const withoutLooks = { lookQueue: 'unattached', unknownLooks: 0, firstLookAt: null } as const;

/** Attaches a transaction that no other intent holds, in place of what the intent had or claimed before. */
export function attachment(transactionId: string, now: Date): IntentChange {
  return {
    transactionId,
    attachedAt: now,
    ...waitingForFirstLook,
    due: now,
    dialect: null,
    problem: null,
    claimedId: undefined,
    claimedAt: null,
  };
}

/** Stores the intent's claim on a transaction that another intent holds; an earlier claim keeps its time and problem. */
export function claim(intent: Intent, transactionId: string, now: Date): IntentChange {
  const known = intent.claimedId === transactionId;
  // A payment that the wallet named earlier can only now be looked up, with the instructions of the holder.
  const lookUpMs = nextLookUpMs(intent.payment, true, now.getTime());
  return {
    ...(lookUpMs === null ? {} : { lookUpDue: new Date(lookUpMs) }),
    transactionId: undefined,
    attachedAt: null,
    ...withoutLooks,
    dialect: null,
    claimedId: transactionId,
    claimedAt: known ? intent.claimedAt : now,
    problem: known ? intent.problem : 'held_by_another',
    due: claimEnd(intent),
  };
}

/**
 * The change of the holder when its transaction passes to the sender's intent: only a claim on the transaction remains. An
 * outcome that the holder has stays, and so does whether it counts.
 */
export function handedOver(holder: Intent, now: Date): IntentChange {
  const payment = handedAway(holder.payment);
  // Only payments that its own wallet named are left to be looked up.
  const lookUpMs = nextLookUpMs(payment, true, now.getTime());
  return {
    transactionId: undefined,
    attachedAt: null,
    ...withoutLooks,
    dialect: null,
    observations: nothingObserved,
    sender: null,
    amountIn: null,
    payment,
    contradicted: false,
    ...(holder.outcome === null ? ({ scored: true, unscoredReason: null } as const) : {}),
    claimedId: holder.transactionId,
    claimedAt: holder.attachedAt,
    problem: 'passed_to_another',
    due: claimEnd(holder),
    lookUpDue: lookUpMs === null ? undefined : new Date(lookUpMs),
  };
}

/**
 * The change of the claimant that a transaction passes to. The observations of the transaction remain valid, but its
 * outcome counts only if it was observed without funds at some time after this intent presented it, as for any other
 * intent. Otherwise a wallet could wait for the outcome and then decide whether it counts.
 */
export function takenOver(claimant: Intent, holder: Intent, sender: string, now: Date): IntentChange {
  const presentedAt = claimant.claimedAt ?? now;
  const { firstAtMs, unfundedAtMs, fundedAtMs } = holder.observations;
  const seenSince = unfundedAtMs !== null && unfundedAtMs >= presentedAt.getTime();
  const payment = handedOn(holder.payment, claimant.payment);
  const lasting = lastingFaults.find((fault) => fault === holder.unscoredReason) ?? null;
  // After funds were observed, records are not judged any more. A transaction that passes this late is not scored.
  const unscoredReason = lasting ?? (fundedAtMs === null ? null : 'seen_after_payment');
  return {
    transactionId: holder.transactionId,
    attachedAt: presentedAt,
    lookQueue: lookQueueOf({
      attached: true,
      seen: firstAtMs !== null,
      paid: fundedAtMs !== null,
      unknownLooks: 0,
    }),
    unknownLooks: 0,
    firstLookAt: holder.firstLookAt,
    dialect: holder.dialect,
    observations: { ...holder.observations, unfundedAtMs: seenSince ? unfundedAtMs : null },
    sender,
    amountIn: holder.amountIn,
    payment,
    lookUpDue: payment.named.length > 0 ? now : undefined,
    scored: unscoredReason === null,
    unscoredReason,
    claimedId: undefined,
    claimedAt: null,
    problem: lastingProblems.includes(holder.problem) ? holder.problem : null,
    due: now,
  };
}

/**
 * The change of the claimant whose payment of the transaction was found on the ledger. The intent is open again, even
 * where it had expired as unpaid; its outcome is decided next.
 */
export function takenOverByPayer(
  claimant: Intent,
  holder: Intent,
  found: FoundPayment,
  now: Date,
): IntentChange {
  const taken = takenOver(claimant, holder, claimant.account, now);
  const paid = paidBy({ ...toState({ ...claimant, ...taken } as Intent), ending: null }, found);
  const hadExpired = claimant.status === 'expired' || holder.status === 'expired';
  const state = hadExpired ? takenUpAgain(paid, now.getTime()) : paid;
  return { ...taken, ...toFields(state), open: true, due: now, lookUpDue: undefined };
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
