import type {
  AttachTransactionBody,
  CreateIntentBody,
  IntentAnswer,
  IntentDispute,
} from '../../../contract/schemas/intents.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { verifyDispute } from '../../crypto/ed25519.js';
import { ApiError, invalidRequest } from '../../errors.js';
import type { Standings } from '../reputation/standings.js';
import type { AttachTransaction } from './holder/attach.js';
import type { Intent } from './intent.js';
import { toAnswer } from './intent-answer.rules.js';
import { isNonceOf } from './registration/new-intent.rules.js';
import type { Register } from './registration/register.js';
import type { IntentStore } from './store.js';

export type IntentService = ReturnType<typeof createIntentService>;

export interface IntentServiceDeps {
  store: Pick<IntentStore, 'findByHash'>;
  register: Register;
  attach: AttachTransaction;
  namePayment: (intent: Intent, paymentHash: string) => Promise<Intent>;
  /** The dispute of an intent, in short; null where there is none. */
  disputeOf: (intentHash: string) => Promise<IntentDispute | null>;
  /** Whether and why the outcome of an intent counts. */
  standingOf: Standings['standingOf'];
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
}

export function createIntentService(deps: IntentServiceDeps) {
  const { store, register, attach, namePayment, disputeOf, standingOf, publicUrl } = deps;

  /** The API representation of the intent. */
  async function answerOf(intent: Intent): Promise<IntentAnswer> {
    const { outcome } = intent;
    // Only an outcome can be disputed, or count.
    if (outcome === null) return toAnswer(intent, { dispute: null, standing: null, publicUrl });
    const [dispute, standing] = await Promise.all([
      disputeOf(intent._id),
      standingOf({ ...intent, outcome }),
    ]);
    return toAnswer(intent, { dispute, standing, publicUrl });
  }

  return {
    answerOf,

    /**
     * Stores an intent (`created`), or finds it stored, and attaches its transaction if one is given. Throws
     * INVALID_REQUEST, UNSUPPORTED_PAIR, AMOUNT_OUT_OF_RANGE, QUOTE_BELOW_MINIMUM, TRANSACTION_CONFLICT, RATES_UNAVAILABLE
     * and NOT_READY. With TRANSACTION_CONFLICT the intent is stored, and its claim where another intent holds the
     * transaction; with NOT_READY it may be. The others come before anything is stored. `client`: the hash of the client
     * that registers it.
     */
    async register(body: CreateIntentBody, client: string) {
      const { created, intent } = await register(body, client);
      return { created, answer: await answerOf(intent) };
    },

    /**
     * Attaches a transaction, names the payment, or both. Throws INVALID_REQUEST, UNKNOWN_INTENT (also where the nonce is
     * not the intent's), TRANSACTION_CONFLICT and NOT_READY.
     */
    async attach(intentHash: string, body: AttachTransactionBody): Promise<IntentAnswer> {
      const { nonce, anchorTransactionId, paymentHash, accountSignature } = body;
      if (anchorTransactionId === undefined && paymentHash === undefined)
        throw invalid('anchorTransactionId', 'is required, unless paymentHash is given');
      const intent = await store.findByHash(intentHash);
      if (intent === null || !isNonceOf(intent, nonce))
        throw new ApiError('UNKNOWN_INTENT', 'No intent was registered with this hash and nonce.');
      const isSigned = accountSignature !== undefined;
      if (isSigned && !isSignedBy(intent, accountSignature))
        throw invalid('accountSignature', "is not the account's signature over intentHash");
      // The payment is stored first, so that it is known even where another intent holds the transaction.
      const named = paymentHash === undefined ? intent : await namePayment(intent, paymentHash);
      return answerOf(
        anchorTransactionId === undefined ? named : await attach(named, anchorTransactionId, isSigned),
      );
    },

    /** Throws UNKNOWN_INTENT and NOT_READY. */
    async read(intentHash: string): Promise<IntentAnswer> {
      const intent = await store.findByHash(intentHash);
      if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
      return answerOf(intent);
    },
  };
}

function isSignedBy({ _id, account }: Intent, base64: string): boolean {
  const signature = Buffer.from(base64, 'base64');
  return signature.length === 64 && verifyDispute({ signature, publicKey: decodePublicKey(account) }, _id);
}

function invalid(member: string, message: string): ApiError {
  return invalidRequest([{ path: `body.${member}`, message }]);
}
