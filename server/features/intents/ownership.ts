import { isDuplicateKey } from '../../mongo/failures.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock } from '../../ports.js';
import type { Intent, IntentChange } from './intent.js';
import {
  attachment,
  claim,
  handedOver,
  ownerElsewhere,
  takenOver,
  takenOverByPayer,
  yieldsToPayer,
} from './ownership.rules.js';
import type { FoundPayment } from './payment.js';
import type { IntentStore } from './store.js';

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
   * Passes the holder's transaction to the claimant that paid it according to the ledger, whichever sender the anchor's
   * record names. `kept` where the holder's own payment was found or its outcome is final. Rejects with a duplicate key
   * where the payment belongs to another intent.
   */
  passToPayer(
    holder: Intent,
    claimant: Intent,
    found: FoundPayment,
    lease?: HeldLease,
  ): Promise<'passed' | 'kept' | 'changed_meanwhile'>;
}

export interface OwnershipDeps {
  store: Pick<IntentStore, 'findByHash' | 'findByTransaction' | 'findFirstClaimant' | 'saveProgress'>;
  inTransaction: InTransaction;
  clock: Clock;
}

/** No status changes here, so nothing has to be counted again. */
function changed(intent: Intent, change: IntentChange) {
  return { intent, change, pendingAggregation: false };
}

function released(holder: Intent, releasedAt: Date) {
  return { ...changed(holder, handedOver(holder, releasedAt)), releasedAt };
}

export function createOwnership({ store, inTransaction, clock }: OwnershipDeps): Ownership {
  return {
    async replace(intent, transactionId) {
      const { _id, version, anchorId, transactionId: before } = intent;
      try {
        return await inTransaction(async (session) => {
          const now = new Date(clock());
          if ((await store.findByHash(_id, session))?.version !== version) return 'changed_meanwhile';
          const holder = await store.findByTransaction(anchorId, transactionId, session);
          const change = holder === null ? attachment(transactionId, now) : claim(intent, transactionId, now);
          await store.saveProgress(changed(intent, change), session);
          const next =
            before === undefined
              ? null
              : await store.findFirstClaimant({ anchorId, transactionId: before }, session);
          if (before !== undefined && next !== null) {
            await store.saveProgress(changed(next, attachment(before, now)), session);
          }
          return holder === null ? 'attached' : 'claimed';
        });
      } catch (error) {
        // Another intent was given the transaction in the meantime.
        if (isDuplicateKey(error)) return 'changed_meanwhile';
        throw error;
      }
    },

    async passToSender(holder, sender, lease) {
      const { _id, version, anchorId, transactionId } = holder;
      if (transactionId === undefined) return 'no_claimant';
      const wanted = { anchorId, transactionId, account: sender };
      // Mostly, no intent of the sender's account claims the transaction; no database transaction is opened then.
      if ((await store.findFirstClaimant(wanted)) === null) return 'no_claimant';
      return inTransaction(async (session) => {
        await lease?.fence(session);
        const current = await store.findByHash(_id, session);
        if (current?.version !== version) return 'changed_meanwhile';
        const claimant = await store.findFirstClaimant(wanted, session);
        if (claimant === null || ownerElsewhere(current, sender) === null) return 'no_claimant';
        // The holder is written first, since the unique index allows one holder per transaction.
        const now = new Date(clock());
        await store.saveProgress(released(current, now), session);
        const change = takenOver(claimant, current, sender, now);
        await store.saveProgress(changed(claimant, change), session);
        return { owner: claimant._id };
      });
    },

    passToPayer(holder, claimant, found, lease) {
      return inTransaction(async (session) => {
        await lease?.fence(session);
        const [held, claims] = [
          await store.findByHash(holder._id, session),
          await store.findByHash(claimant._id, session),
        ];
        if (held?.version !== holder.version || claims?.version !== claimant.version)
          return 'changed_meanwhile';
        if (!yieldsToPayer(held)) return 'kept';
        const now = new Date(clock());
        await store.saveProgress(released(held, now), session);
        const change = takenOverByPayer(claims, held, found, now);
        await store.saveProgress(
          { intent: claims, change, pendingAggregation: claims.outcome !== null },
          session,
        );
        return 'passed';
      });
    },
  };
}
