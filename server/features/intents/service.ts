import type {
  AttachTransactionBody,
  CreateIntentBody,
  IntentAnswer,
  IntentDispute,
} from '../../../contract/schemas/intents.js';
import { ApiError, invalidRequest } from '../../errors.js';
import type { Standings } from '../reputation/standings.js';
import { type AttachDeps, createAttachTransaction } from './holder/attach.js';
import type { Intent } from './intent.js';
import { toAnswer } from './intent-answer.rules.js';
import { createNamePayment } from './payment/name-payment.js';
import { isNonceOf } from './registration/nonce.rules.js';
import { createRegister, type RegisterDeps } from './registration/register.js';

export interface IntentServiceDeps
  extends Omit<AttachDeps, 'store'>,
    Omit<RegisterDeps, 'store' | 'attach' | 'waits' | 'onAttached' | 'clock'> {
  store: AttachDeps['store'] & RegisterDeps['store'];
  /** The dispute of an intent, in short; null where there is none. */
  disputeOf: (intentHash: string) => Promise<IntentDispute | null>;
  /** Whether and why the outcome of an intent counts. */
  standingOf: Standings['standingOf'];
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
}

export interface IntentService {
  /**
   * Stores an intent (`created`), or finds it stored, and attaches its transaction if one is given. Throws
   * INVALID_REQUEST, UNSUPPORTED_PAIR, AMOUNT_OUT_OF_RANGE, QUOTE_BELOW_MINIMUM, TRANSACTION_CONFLICT, RATES_UNAVAILABLE
   * and NOT_READY. With TRANSACTION_CONFLICT the intent is stored, and its claim where another intent holds the
   * transaction; with NOT_READY it may be. The others come before anything is stored. `client`: the hash of the client
   * that registers it.
   */
  register(body: CreateIntentBody, client: string): Promise<{ created: boolean; answer: IntentAnswer }>;
  /**
   * Attaches a transaction, names the payment, or both. Throws INVALID_REQUEST, UNKNOWN_INTENT (also where the nonce is
   * not the intent's), TRANSACTION_CONFLICT and NOT_READY.
   */
  attach(intentHash: string, body: AttachTransactionBody): Promise<IntentAnswer>;
  /** Throws UNKNOWN_INTENT and NOT_READY. */
  read(intentHash: string): Promise<IntentAnswer>;
  /** The API representation of the intent. */
  answerOf(intent: Intent): Promise<IntentAnswer>;
}

export function createIntentService(deps: IntentServiceDeps): IntentService {
  const { store, disputeOf, standingOf, publicUrl } = deps;
  const attach = createAttachTransaction(deps);
  const namePayment = createNamePayment(deps);
  const register = createRegister({ ...deps, attach });

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
    async register(body, client) {
      const { created, intent } = await register(body, client);
      return { created, answer: await answerOf(intent) };
    },
    async attach(intentHash, { nonce, anchorTransactionId, paymentHash }) {
      if (anchorTransactionId === undefined && paymentHash === undefined) {
        throw invalidRequest([
          { path: 'body.anchorTransactionId', message: 'is required, unless paymentHash is given' },
        ]);
      }
      const intent = await store.findByHash(intentHash);
      if (intent === null || !isNonceOf(intent, nonce)) {
        throw new ApiError('UNKNOWN_INTENT', 'No intent was registered with this hash and nonce.');
      }
      // The payment is stored first, so that it is known even where another intent holds the transaction.
      const named = paymentHash === undefined ? intent : await namePayment(intent, paymentHash);
      const attached = anchorTransactionId === undefined ? named : await attach(named, anchorTransactionId);
      return answerOf(attached);
    },
    async read(intentHash) {
      const intent = await store.findByHash(intentHash);
      if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
      return answerOf(intent);
    },
    answerOf,
  };
}
