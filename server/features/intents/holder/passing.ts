import { isDuplicateKey } from '../../../mongo/failures.js';
import type { HeldLease } from '../../../mongo/leases.js';
import type { InTransaction } from '../../../mongo/transactions.js';
import { daysOf } from '../../../outcome-days.rules.js';
import type { Clock } from '../../../ports.js';
import type { MarkDays } from '../../reputation/count-days.js';
import type { Intent } from '../intent.js';
import type { Claimants, IntentStore } from '../store.js';
import { attachment, handedOver, takenOver, yieldsToPayer } from './ownership.rules.js';

export type Passed = { owner: string } | 'no_claimant' | 'changed_meanwhile';
export type Passing = ReturnType<typeof createPassing>;

/** The changes of a transaction's owner that write more than one document. The callers have asked the rules of ownership. */
export function createPassing(deps: {
  store: Pick<IntentStore, 'findFirstClaimant' | 'saveProgress'>;
  inTransaction: InTransaction;
  markDays: MarkDays;
  clock: Clock;
}) {
  const { store, inTransaction, markDays, clock } = deps;

  async function pass(
    holder: Intent,
    to: Pick<Claimants, '_id' | 'account' | 'statuses'>,
    { lease, byLedger }: { lease?: HeldLease | undefined; byLedger?: boolean } = {},
  ): Promise<Passed> {
    const { anchorId, transactionId } = holder;
    if (transactionId === undefined) return 'no_claimant';
    const wanted = { ...to, anchorId, claimedId: transactionId };
    // Mostly, no intent of the account claims the transaction; no database transaction is opened then.
    if ((await store.findFirstClaimant(wanted)) === null) return 'no_claimant';
    return inTransaction(async (session) => {
      await lease?.fence(session);
      const claimant = await store.findFirstClaimant(wanted, session);
      if (claimant === null) return 'no_claimant';
      // The holder is written first, since the unique index allows one holder per transaction.
      const now = new Date(clock());
      const release = { before: holder, after: handedOver(holder), releasedAt: now };
      if (!(await store.saveProgress(release, session))) return 'changed_meanwhile';
      const after = takenOver(claimant, holder, now, byLedger);
      await store.saveProgress({ before: claimant, after }, session);
      await markDays(session, daysOf(holder, claimant));
      return { owner: claimant._id };
    });
  }

  return {
    /** Attaches a transaction that its holder has replaced to the first intent that claims it. */
    async handOnReleased(anchorId: string, transactionId: string): Promise<void> {
      const next = await store.findFirstClaimant({ anchorId, claimedId: transactionId });
      if (next === null) return;
      const after = attachment(next, transactionId, new Date(clock()), false);
      // Where it is taken by now, or the claimant has changed, the next attach of it decides.
      await store.saveProgress({ before: next, after }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    },

    /** Passes the holder's transaction to the first intent that claims it of the account that the record names as sender. */
    passToSender: (holder: Intent, account: string, lease?: HeldLease) =>
      pass(holder, { account }, { lease }),

    /**
     * Passes the holder's transaction to the first intent that claims it of the account that paid it according to the
     * ledger, whichever sender the anchor's record names. The payment is looked up for that intent next, and reopens it
     * where it has expired as unpaid.
     */
    passToPayer: async (holder: Intent, account: string, lease: HeldLease): Promise<Passed> =>
      yieldsToPayer(holder)
        ? pass(holder, { account, statuses: ['pending', 'expired'] }, { lease, byLedger: true })
        : 'no_claimant',

    /** Passes the holder's transaction to this claimant. */
    passToClaimant: async (holder: Intent, { _id }: Intent): Promise<Passed> =>
      holder.status === 'pending' ? pass(holder, { _id }) : 'no_claimant',
  };
}
