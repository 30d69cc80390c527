import { type PauseBeforeTry, untilWritten } from '../../../mongo/transactions.js';
import type { Clock } from '../../../ports.js';
import { conflict } from '../holder/attach.js';
import type { Intent } from '../intent.js';
import { givenUpAfterPolls } from '../polls/poll-state.rules.js';
import type { IntentStore } from '../store.js';
import { nextLookUpMs, withNamed } from './payment-state.rules.js';

/**
 * Stores the Stellar transaction that the wallet names as its payment, and returns the updated intent. Throws
 * TRANSACTION_CONFLICT where another payment was found, or where the intent ended in a way that no payment changes. The
 * caller has verified that the wallet knows the nonce.
 */
export function createNamePayment(deps: {
  store: Pick<IntentStore, 'findCurrent' | 'saveProgress' | 'takeUpAgain'>;
  /** Called when a newly named payment may be looked up on the ledger, or an id that was given up is polled again. */
  onAttached: () => void;
  clock: Clock;
  pauseBeforeTry: PauseBeforeTry;
}): (intent: Intent, paymentHash: string) => Promise<Intent> {
  const { store, onAttached, clock, pauseBeforeTry } = deps;
  return (known, paymentHash) =>
    untilWritten(pauseBeforeTry, async (tries) => {
      const hash = paymentHash.toLowerCase();
      const intent = tries === 0 ? known : ((await store.findCurrent(known._id)) ?? known);
      const { found } = intent.payment;
      if (found?.hash === hash || found?.by === 'anchor') return intent;
      if (found !== null) throw conflict('Another payment of this intent was found on the ledger.');
      refuseUnpayable(intent);
      const now = new Date(clock());
      const payment = withNamed(intent.payment, hash, 'wallet', now.getTime());
      const isNew = payment !== intent.payment;
      const dueMs = nextLookUpMs(payment, now.getTime());
      const after = { ...intent, payment, ...(dueMs === null ? {} : { lookUpDue: new Date(dueMs) }) };
      if (isNew && !(await store.saveProgress({ before: intent, after }))) return undefined;
      // A wallet that has paid is better informed than an anchor that does not know the withdrawal.
      if (intent.unknownPolls >= givenUpAfterPolls) await store.takeUpAgain(intent._id, now);
      if (isNew) onAttached();
      return (await store.findCurrent(intent._id)) ?? intent;
    });
}

/** An outcome that rests on the ledger, or on the anchor's word before a ledger was configured, does not change. */
function refuseUnpayable({ status, outcome, transactionId, claimedId }: Intent): void {
  if (status === 'pending') return;
  if (transactionId === undefined && claimedId === undefined)
    throw conflict('This intent ended before a transaction was attached.');
  if (status !== 'expired' && outcome?.evidence !== 'unverified')
    throw conflict('This intent has its outcome.');
}
