import { isDuplicateKey } from '../../../mongo/failures.js';
import type { HeldLease } from '../../../mongo/leases.js';
import type { InTransaction } from '../../../mongo/transactions.js';
import { daysOf } from '../../../outcome-days.rules.js';
import type { Clock } from '../../../ports.js';
import type { MarkDays } from '../../reputation/count-days.js';
import type { Intent } from '../intent.js';
import type { Claimants, IntentStore } from '../store.js';
import {
  attachment,
  handedOver,
  ownerElsewhere,
  takenOver,
  yieldsToClaimant,
  yieldsToPayer,
} from './ownership.rules.js';

export type Passed = { owner: string } | 'no_claimant' | 'changed_meanwhile';

/** The changes of a transaction's owner that write more than one document. */
export interface Passing {
  /** Attaches a transaction that its holder has replaced to the first intent that claims it. */
  handOnReleased(anchorId: string, transactionId: string): Promise<void>;
  /** Passes the holder's transaction to the first intent that claims it of the account that the record names as sender. */
  passToSender(holder: Intent, sender: string, lease?: HeldLease): Promise<Passed>;
  /**
   * Passes the holder's transaction to the first intent that claims it of the account that paid it according to the ledger,
   * whichever sender the anchor's record names. The payment is looked up for that intent next.
   */
  passToPayer(holder: Intent, payer: string, lease: HeldLease): Promise<Passed>;
  /** Passes the holder's transaction to this claimant: where the holder yields to it, or the anchor's callback is `called` for it. */
  passToClaimant(holder: Intent, claimant: Intent, called: boolean): Promise<Passed>;
}

export function createPassing(deps: {
  store: Pick<IntentStore, 'findByHash' | 'findFirstClaimant' | 'saveProgress'>;
  inTransaction: InTransaction;
  markDays: MarkDays;
  clock: Clock;
}): Passing {
  const { store, inTransaction, markDays, clock } = deps;

  async function pass(
    holder: Intent,
    to: Pick<Claimants, '_id' | 'account' | 'statuses'>,
    mayPass: (holder: Intent, claimant: Intent) => boolean,
    { lease, byLedger }: { lease?: HeldLease | undefined; byLedger?: boolean } = {},
  ): Promise<Passed> {
    const { _id, version, anchorId, transactionId } = holder;
    if (transactionId === undefined) return 'no_claimant';
    const wanted = { ...to, anchorId, claimedId: transactionId };
    // Mostly, no intent of the account claims the transaction; no database transaction is opened then.
    if ((await store.findFirstClaimant(wanted)) === null) return 'no_claimant';
    return inTransaction(async (session) => {
      await lease?.fence(session);
      const current = await store.findByHash(_id, session);
      if (current?.version !== version) return 'changed_meanwhile';
      const claimant = await store.findFirstClaimant(wanted, session);
      if (claimant === null || !mayPass(current, claimant)) return 'no_claimant';
      // The holder is written first, since the unique index allows one holder per transaction.
      const now = new Date(clock());
      await store.saveProgress({ before: current, after: handedOver(current), releasedAt: now }, session);
      await store.saveProgress(
        { before: claimant, after: takenOver(claimant, current, now, byLedger) },
        session,
      );
      await markDays(session, daysOf(current, claimant));
      return { owner: claimant._id };
    });
  }

  return {
    async handOnReleased(anchorId, transactionId) {
      const next = await store.findFirstClaimant({ anchorId, claimedId: transactionId });
      if (next === null) return;
      const after = attachment(next, transactionId, new Date(clock()), false);
      // Where it is taken by now, or the claimant has changed, the next attach of it decides.
      await store.saveProgress({ before: next, after }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    },

    passToSender: (holder, account, lease) =>
      pass(holder, { account }, (current) => ownerElsewhere(current, account) !== null, { lease }),

    // The payment reopens an intent that has expired as unpaid.
    passToPayer: (holder, account, lease) =>
      pass(holder, { account, statuses: ['pending', 'expired'] }, yieldsToPayer, { lease, byLedger: true }),

    passToClaimant: (holder, { _id }, called) =>
      pass(holder, { _id }, (current, claimant) =>
        called ? current.status === 'pending' : yieldsToClaimant(current, claimant),
      ),
  };
}
