import type { UnavailableAnchor } from '../../../contract/errors.js';
import type {
  AttachTransactionBody,
  CreateIntentBody,
  IntentAnswer,
  IntentDispute,
} from '../../../contract/schemas/intents.js';
import { intentHash as hashOf } from '../../../contract/verification/intent-hash.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { verifyDispute } from '../../crypto/ed25519.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { ApiError, invalidRequest, outOfRange, unsupportedPair } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Rates } from '../rates/service.js';
import type { Standings } from '../reputation/count-days.js';
import type { Attach } from './holder/attach.js';
import { attachment } from './holder/ownership.rules.js';
import type { AcceptedQuote, Intent } from './intent.js';
import { toAnswer } from './intent-answer.rules.js';
import type { HasToWait } from './polls/due-store.js';
import { isNonceOf, newIntent, paysLess, type Served, termFaults } from './registration/new-intent.rules.js';
import type { IntentStore } from './store.js';
import { stepsAfter } from './transition/steps.rules.js';

export type IntentService = ReturnType<typeof createIntentService>;

export interface IntentServiceDeps extends Attach {
  store: Pick<IntentStore, 'findByHash' | 'findCurrent' | 'insert'>;
  directory: Pick<AnchorDirectory, 'corridor' | 'anchor' | 'anchorsOf'>;
  quoteFrom: Rates['quoteFrom'];
  waits: HasToWait;
  /** The dispute of an intent, in short; null where there is none. */
  disputeOf: (intentHash: string) => Promise<IntentDispute | null>;
  /** Whether and why the outcome of an intent counts. */
  standingOf: Standings['standingOf'];
  /** Called when an intent was stored with a transaction: it has to be observed before it is paid. */
  onAttached: () => void;
  /** Address of this service as clients and anchors know it, without a trailing slash. */
  publicUrl: string;
  clock: Clock;
}

export function createIntentService(deps: IntentServiceDeps) {
  const { store, directory, quoteFrom, attach, namePayment, waits, publicUrl, clock } = deps;

  /** The API representation of the intent. */
  async function answerOf(intent: Intent): Promise<IntentAnswer> {
    const { outcome } = intent;
    // Only an outcome can be disputed, or count.
    if (outcome === null) return toAnswer(intent, { dispute: null, standing: null, publicUrl });
    const [dispute, standing] = await Promise.all([
      deps.disputeOf(intent._id),
      deps.standingOf({ ...intent, outcome }),
    ]);
    return toAnswer(intent, { dispute, standing, publicUrl });
  }

  /**
   * Validates the terms and returns their corridor, and the anchor's delivery methods there. Throws INVALID_REQUEST,
   * UNSUPPORTED_PAIR and AMOUNT_OUT_OF_RANGE.
   */
  function acceptedCorridor(body: CreateIntentBody): { corridor: Corridor; served: Served } {
    const corridor = directory.corridor(body.corridor);
    if (corridor === undefined) throw unsupportedPair('body.corridor', 'is not a corridor that is served');
    if (directory.anchor(body.anchorId) === undefined)
      throw unsupportedPair('body.anchorId', 'is not in the fleet');
    const anchor = directory.anchorsOf(corridor.id).find(({ id }) => id === body.anchorId);
    const served = anchor?.corridors.find(({ id }) => id === corridor.id);
    if (served === undefined) throw unsupportedPair('body.anchorId', 'does not serve this corridor');
    const method = body.deliveryMethod;
    if (method !== undefined && findDeliveryMethod(served.deliveryMethods, method) === undefined)
      throw unsupportedPair('body.deliveryMethod', 'is not offered by this anchor in this corridor');
    const faults = termFaults(body, clock(), corridor.payoutDecimals);
    if (faults.length > 0) throw invalidRequest(faults);
    if (isOutOfRange(plainDecimal(body.sellAmount), corridor)) throw outsideLimits(corridor);
    return { corridor, served };
  }

  /** Null if the anchor has no quote at the moment; an intent may be registered all the same. */
  async function quoteFor(body: CreateIntentBody): Promise<AcceptedQuote | null> {
    const { corridor, anchorId, deliveryMethod, minReceive } = body;
    const asked = plainDecimal(body.sellAmount);
    const answer = await quoteFrom(corridor, anchorId, asked, deliveryMethod);
    if (answer.quote === null) {
      const { reason, retryAfter } = answer;
      if (reason === 'refused_amount') throw outOfRange('body.sellAmount', 'is not quoted by this anchor');
      if (minReceive === undefined) return null;
      throw noQuote({ anchorId, reason }, retryAfter);
    }
    const { quote } = answer;
    if (minReceive !== undefined && paysLess(quote, asked, minReceive)) throw belowMinimum(quote);
    return { ...quote, quotedAt: new Date(quote.quotedAt) };
  }

  async function storedOrFound(body: CreateIntentBody, client: string) {
    const intentHash = hashOf(body);
    const { anchorId, anchorTransactionId } = body;
    const repeated = async (known: Intent, created = false) => ({
      created,
      intent: anchorTransactionId === undefined ? known : await attach(known, anchorTransactionId),
    });
    const known = await store.findByHash(intentHash);
    if (known !== null) return repeated(known);
    const accepted = acceptedCorridor(body);
    const quote = await quoteFor(body);
    const hasToWait = anchorTransactionId !== undefined && (await waits({ anchorId, client }));
    const nowMs = clock();
    const bare = newIntent({ intentHash, body, ...accepted, quote, nowMs, client });
    if (anchorTransactionId !== undefined) {
      const attached = attachment(bare, anchorTransactionId, bare.createdAt, hasToWait);
      const intent = { ...attached, steps: stepsAfter(bare, attached) };
      if (await store.insert(intent)) {
        deps.onAttached();
        return { created: true, intent };
      }
      // Either the same request came first, or another intent has the transaction: this one then claims it.
    }
    if (await store.insert(bare)) return repeated(bare, true);
    return repeated((await store.findCurrent(intentHash)) ?? bare);
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
      const { created, intent } = await storedOrFound(body, client);
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

function outsideLimits({ min, max }: Corridor): ApiError {
  return outOfRange('body.sellAmount', `must be between ${min} and ${max} in this corridor`);
}

function noQuote(unavailable: UnavailableAnchor, retryAfter: number | undefined): ApiError {
  const message = `The anchor has no quote at the moment to hold minReceive against (${unavailable.reason}).`;
  return new ApiError('RATES_UNAVAILABLE', message, { unavailable: [unavailable], retryAfter });
}

function belowMinimum({ receiveAmount }: Pick<AcceptedQuote, 'receiveAmount'>): ApiError {
  return new ApiError('QUOTE_BELOW_MINIMUM', `The anchor quotes ${receiveAmount}, below minReceive.`);
}

function invalid(member: string, message: string): ApiError {
  return invalidRequest([{ path: `body.${member}`, message }]);
}
