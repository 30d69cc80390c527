import { ApiError } from '../../../errors.js';
import { isDuplicateKey } from '../../../mongo/failures.js';
import { type PauseBeforeTry, untilWritten } from '../../../mongo/transactions.js';
import type { Clock } from '../../../ports.js';
import type { Intent } from '../intent.js';
import { nextLookUpMs, withNamed } from '../payment/payment-state.rules.js';
import type { HasToWait } from '../polls/due-store.js';
import type { IntentStore } from '../store.js';
import type { MakeProgress } from '../transition/progress.js';
import { givenUpAfterPolls } from '../transition/transition.rules.js';
import { attachment, claim, ownerElsewhere, yieldsToClaimant } from './ownership.rules.js';
import type { Passing } from './passing.js';

/** What a wallet adds to its intent. The caller has verified that it knows the nonce. */
export type Attach = ReturnType<typeof createAttach>;

const heldByAnother =
  'Another intent of this anchor holds this transaction. The claim is stored: as long as that intent has no outcome, the ' +
  "transaction passes to this one if the anchor's record or the ledger shows that this account paid.";

export function createAttach(deps: {
  store: Pick<IntentStore, 'findCurrent' | 'touchHolder' | 'saveProgress' | 'takeUpAgain'>;
  passing: Pick<Passing, 'handOnReleased' | 'passToSender' | 'passToClaimant'>;
  waits: HasToWait;
  progress: MakeProgress;
  /** Called when a transaction or a payment is to be looked at soon: it has to be observed before it is paid. */
  onAttached: () => void;
  clock: Clock;
  pauseBeforeTry: PauseBeforeTry;
}) {
  const { store, passing, waits, progress, onAttached, clock, pauseBeforeTry } = deps;

  async function reread(intent: Intent): Promise<Intent> {
    return (await store.findCurrent(intent._id)) ?? intent;
  }

  /** Resumes the polls of an id that was given up because the anchor did not know it. */
  async function takeUpAgain({ _id, unknownPolls }: Intent): Promise<void> {
    if (unknownPolls >= givenUpAfterPolls && (await store.takeUpAgain(_id, new Date(clock())))) onAttached();
  }

  /** False where another intent holds the transaction and keeps it. True: the caller has to read the intent again. */
  async function present(intent: Intent, transactionId: string): Promise<boolean> {
    const now = new Date(clock());
    const attached = attachment(intent, transactionId, now, await waits(intent));
    const held = await isTaken(() => store.saveProgress({ before: intent, after: attached }));
    const after = held ? claim(intent, transactionId, now) : attached;
    if (held && after !== intent && !(await store.saveProgress({ before: intent, after }))) return true;
    if (intent.transactionId !== undefined)
      await passing.handOnReleased(intent.anchorId, intent.transactionId);
    if (!held) return true;
    // Raises the holder's version, so that a report being applied to it starts over and sees the claim.
    const holder = await store.touchHolder(intent.anchorId, transactionId);
    if (holder === null) return true;
    if (yieldsToClaimant(holder, intent))
      return (await passing.passToClaimant(holder, intent)) !== 'no_claimant';
    // The anchor may know the id by now; only its record can decide between the claimant and the holder.
    await takeUpAgain(holder);
    const sender = ownerElsewhere(holder, holder.told?.from ?? null);
    if (sender !== intent.account) return false;
    return (await passing.passToSender(holder, sender)) !== 'no_claimant';
  }

  return {
    /**
     * Attaches the transaction that the wallet presents and returns the updated intent; a transaction that is attached
     * already stays attached. Throws TRANSACTION_CONFLICT; where another intent holds the transaction, the claim on it is
     * stored first. `signed`: it signed for the account as well.
     */
    attach(known: Intent, transactionId: string, signed = false): Promise<Intent> {
      let intent = known;
      return untilWritten(pauseBeforeTry, async () => {
        if (signed && !intent.signed) {
          const written = await store.saveProgress({ before: intent, after: { ...intent, signed } });
          intent = await reread(intent);
          if (!written) return undefined;
        }
        if (intent.transactionId === transactionId) {
          await takeUpAgain(intent);
          return intent;
        }
        const isOver = intent.deadline.getTime() <= clock();
        if (intent.status === 'pending' && isOver) {
          // An intent whose time is over ends before anything is attached, whether or not the job has processed it yet.
          await progress(intent._id, { learned: null });
          intent = await reread(intent);
        }
        refuseUnattachable(intent, isOver);
        const mayHave = await present(intent, transactionId);
        intent = await reread(intent);
        if (intent.transactionId === transactionId) {
          onAttached();
          return intent;
        }
        if (!mayHave) throw conflict(heldByAnother);
        return undefined;
      });
    },

    /**
     * Stores the Stellar transaction that the wallet names as its payment, and returns the updated intent. Throws
     * TRANSACTION_CONFLICT where another payment was found, or where the intent ended in a way that no payment changes.
     */
    namePayment(known: Intent, paymentHash: string): Promise<Intent> {
      const hash = paymentHash.toLowerCase();
      return untilWritten(pauseBeforeTry, async (tries) => {
        const intent = tries === 0 ? known : await reread(known);
        const { found } = intent.payment;
        if (found?.hash === hash || found?.by === 'anchor') return intent;
        if (found !== null) throw conflict('Another payment of this intent was found on the ledger.');
        refuseUnpayable(intent);
        const nowMs = clock();
        const payment = withNamed(intent.payment, hash, 'wallet', nowMs);
        const isNew = payment !== intent.payment;
        const dueMs = nextLookUpMs(payment, nowMs);
        const after = { ...intent, payment, ...(dueMs === null ? {} : { lookUpDue: new Date(dueMs) }) };
        if (isNew && !(await store.saveProgress({ before: intent, after }))) return undefined;
        // A wallet that has paid is better informed than an anchor that does not know the withdrawal.
        await takeUpAgain(intent);
        if (isNew) onAttached();
        return reread(intent);
      });
    },
  };
}

/** An id may be replaced until the anchor shows a record of it: it may be mistyped, and nothing depends on it yet. */
function refuseUnattachable(intent: Intent, isOver: boolean): void {
  const isAttached = intent.transactionId !== undefined;
  const wasSeen = intent.observations.firstAtMs !== null;
  if (isAttached && (wasSeen || intent.status !== 'pending'))
    throw conflict('This intent already follows another transaction.');
  if (intent.status !== 'pending') throw conflict('This intent ended before a transaction was attached.');
  // The intent has no transaction and is past its deadline: it is still pending only because it claims one.
  if (!isAttached && isOver) throw conflict('The time to attach a transaction to this intent is over.');
}

/** An outcome that rests on the ledger, or on the anchor's word before a ledger was configured, does not change. */
function refuseUnpayable({ status, outcome, transactionId, claimedId }: Intent): void {
  if (status === 'pending') return;
  if (transactionId === undefined && claimedId === undefined)
    throw conflict('This intent ended before a transaction was attached.');
  if (status !== 'expired' && outcome?.evidence !== 'unverified')
    throw conflict('This intent has its outcome.');
}

/** Whether another intent holds the transaction that is attached. */
async function isTaken(attach: () => Promise<unknown>): Promise<boolean> {
  try {
    await attach();
    return false;
  } catch (error) {
    if (isDuplicateKey(error)) return true;
    throw error;
  }
}

function conflict(message: string): ApiError {
  return new ApiError('TRANSACTION_CONFLICT', message);
}
