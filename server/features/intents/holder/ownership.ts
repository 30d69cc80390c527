import { isDuplicateKey } from '../../../mongo/failures.js';
import type { HeldLease } from '../../../mongo/leases.js';
import type { InTransaction } from '../../../mongo/transactions.js';
import { daysOf } from '../../../outcome-days.rules.js';
import type { Clock } from '../../../ports.js';
import type { MarkDays } from '../../reputation/count-days.js';
import type { Intent } from '../intent.js';
import type { HasToWait } from '../polls/places.js';
import type { IntentStore } from '../store.js';
import {
  attachment,
  claim,
  handedOver,
  ownerElsewhere,
  takenOver,
  yieldsToPayer,
} from './ownership.rules.js';

/** The changes of a transaction's owner that write more than one document. */
export interface Ownership {
  /**
   * Replaces the transaction that the intent follows with the one that the wallet presents, or only claims the latter
   * where another intent holds it. The replaced transaction goes to the first intent that claims it.
   */
  replace(intent: Intent, transactionId: string): Promise<'attached' | 'claimed' | 'changed_meanwhile'>;
  /**
   * Passes the holder's transaction to the first intent of the sender's account that claims it. Resolves to the hash of
   * that intent.
   */
  passToSender(
    holder: Intent,
    sender: string,
    lease?: HeldLease,
  ): Promise<{ owner: string } | 'no_claimant' | 'changed_meanwhile'>;
  /**
   * Passes the holder's transaction to the intent of the account that paid it according to the ledger, if one claims it,
   * whichever sender the anchor's record names. The payment is looked up for that intent next.
   */
  passToPayer(
    holder: Intent,
    payer: string,
    lease: HeldLease,
  ): Promise<{ owner: string } | 'no_claimant' | 'changed_meanwhile'>;
}

export interface OwnershipDeps {
  store: Pick<IntentStore, 'findByHash' | 'findByTransaction' | 'findFirstClaimant' | 'saveProgress'>;
  /** Whether a transaction of this intent has to wait before it is polled (places.ts). */
  waits: HasToWait;
  inTransaction: InTransaction;
  markDays: MarkDays;
  clock: Clock;
}

export function createOwnership(deps: OwnershipDeps): Ownership {
  const { store, waits, inTransaction, markDays, clock } = deps;

  interface Passing {
    mayPass: (holder: Intent) => boolean;
    /** What the intent that it passes to may be. */
    statuses: readonly Intent['status'][];
    lease: HeldLease | undefined;
  }

  async function pass(holder: Intent, account: string, { mayPass, statuses, lease }: Passing) {
    const { _id, version, anchorId, transactionId } = holder;
    if (transactionId === undefined) return 'no_claimant';
    const wanted = { anchorId, transactionId, account, statuses };
    // Mostly, no intent of the account claims the transaction; no database transaction is opened then.
    if ((await store.findFirstClaimant(wanted)) === null) return 'no_claimant';
    return inTransaction(async (session) => {
      await lease?.fence(session);
      const current = await store.findByHash(_id, session);
      if (current?.version !== version) return 'changed_meanwhile';
      const claimant = await store.findFirstClaimant(wanted, session);
      if (claimant === null || !mayPass(current)) return 'no_claimant';
      // The holder is written first, since the unique index allows one holder per transaction.
      const now = new Date(clock());
      await store.saveProgress({ before: current, after: handedOver(current), releasedAt: now }, session);
      const taken = takenOver(claimant, current, account, now);
      await store.saveProgress({ before: claimant, after: taken }, session);
      await markDays(session, daysOf(current, claimant));
      return { owner: claimant._id };
    });
  }

  return {
    async replace(intent, transactionId) {
      const { _id, version, anchorId, transactionId: before } = intent;
      const hasToWait = await waits(intent);
      try {
        return await inTransaction(async (session) => {
          const now = new Date(clock());
          if ((await store.findByHash(_id, session))?.version !== version) return 'changed_meanwhile';
          const holder = await store.findByTransaction(anchorId, transactionId, session);
          const after =
            holder === null
              ? attachment(intent, transactionId, now, hasToWait)
              : claim(intent, transactionId, now);
          await store.saveProgress({ before: intent, after }, session);
          const next =
            before === undefined
              ? null
              : await store.findFirstClaimant({ anchorId, transactionId: before }, session);
          if (before !== undefined && next !== null) {
            const followed = attachment(next, before, now, false);
            await store.saveProgress({ before: next, after: followed }, session);
          }
          return holder === null ? 'attached' : 'claimed';
        });
      } catch (error) {
        // Another intent was given the transaction in the meantime.
        if (isDuplicateKey(error)) return 'changed_meanwhile';
        throw error;
      }
    },

    passToSender: (holder, sender, lease) => {
      const mayPass = (current: Intent) => ownerElsewhere(current, sender) !== null;
      return pass(holder, sender, { mayPass, statuses: ['pending'], lease });
    },

    // The payment reopens an intent that has expired as unpaid.
    passToPayer: (holder, payer, lease) =>
      pass(holder, payer, { mayPass: yieldsToPayer, statuses: ['pending', 'expired'], lease }),
  };
}
