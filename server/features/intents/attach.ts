import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { Intent } from './intent.js';
import { ContendedIntentError, type MakeProgress } from './progress.js';
import type { IntentStore } from './store.js';

export interface AttachDeps {
  store: Pick<IntentStore, 'findByHash' | 'attachTransaction'>;
  progress: MakeProgress;
  /** Called when a transaction was attached: it has to be observed before it is paid. */
  onAttached: () => void;
  clock: Clock;
}

/**
 * Attaches the transaction that the wallet presents, and returns the intent as it stands then; one that is attached
 * already stays as it is. Throws TRANSACTION_CONFLICT. The caller has made sure that the wallet knows the nonce.
 */
export type AttachTransaction = (intent: Intent, transactionId: string) => Promise<Intent>;

const maxTries = 8;

export function createAttachTransaction(deps: AttachDeps): AttachTransaction {
  const { store, progress, onAttached, clock } = deps;

  async function reread(intent: Intent): Promise<Intent> {
    return (await store.findByHash(intent._id)) ?? intent;
  }

  return async (known, transactionId) => {
    let intent = known;
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (intent.transactionId === transactionId) return intent;
      if (intent.status === 'pending' && intent.deadline.getTime() <= clock()) {
        // If its time is over it ends before anything is attached, whether or not the job has processed it yet.
        await progress(intent._id, { observation: null });
        intent = await reread(intent);
      }
      refuseUnattachable(intent);
      const attached = await store.attachTransaction(intent, transactionId, new Date(clock()));
      if (attached === 'taken_by_another') throw takenByAnother();
      if (attached !== 'changed_meanwhile') {
        onAttached();
        return attached;
      }
      intent = await reread(intent);
    }
    throw new ContendedIntentError(known._id);
  };
}

/** An id that the anchor never showed a record of may be replaced: it may be mistyped, and nothing depends on it yet. */
function refuseUnattachable(intent: Intent): void {
  const isAttached = intent.transactionId !== undefined;
  const wasSeen = intent.observations.firstAtMs !== null;
  if (isAttached && (wasSeen || intent.status !== 'pending')) {
    throw conflict('This intent already follows another transaction.');
  }
  if (intent.status !== 'pending') throw conflict('This intent ended before a transaction was attached.');
}

export function takenByAnother(): ApiError {
  return conflict('This transaction already belongs to another intent of this anchor.');
}

function conflict(message: string): ApiError {
  return new ApiError('TRANSACTION_CONFLICT', message);
}
