import type { ErrorDetail } from '../../../contract/errors.js';
import type {
  AttachTransactionBody,
  CreateIntentBody,
  IntentAnswer,
  IntentDispute,
} from '../../../contract/schemas/intents.js';
import { intentHash as hashOf } from '../../../contract/verification/intent-hash.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { ApiError, invalidRequest, unsupportedPair } from '../../errors.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Rates } from '../rates/service.js';
import type { Standings } from '../reputation/standings.js';
import { type AttachDeps, createAttachTransaction } from './holder/attach.js';
import type { AcceptedQuote, Intent } from './intent.js';
import { toAnswer } from './intent-answer.rules.js';
import { createNamePayment } from './payment/name-payment.js';
import {
  minReceiveFaults,
  newIntent,
  paysLess,
  termFaults,
  withoutTransaction,
} from './registration/new-intent.rules.js';
import { isNonceOf } from './registration/nonce.rules.js';
import type { IntentStore } from './store.js';

export interface IntentServiceDeps extends Omit<AttachDeps, 'store'> {
  store: AttachDeps['store'] & Pick<IntentStore, 'insert' | 'findByHash'>;
  directory: Pick<AnchorDirectory, 'corridor' | 'anchor' | 'anchorsOf'>;
  quoteFrom: Rates['quoteFrom'];
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
  const { store, directory, quoteFrom, disputeOf, standingOf } = deps;
  const { waits, onAttached, publicUrl, clock } = deps;
  const attach = createAttachTransaction(deps);
  const namePayment = createNamePayment(deps);

  async function register(
    body: CreateIntentBody,
    client: string,
  ): Promise<{ created: boolean; intent: Intent }> {
    const intentHash = hashOf(body);
    const known = await store.findByHash(intentHash);
    if (known !== null) return { created: false, intent: await repeat(known, body.anchorTransactionId) };
    const accepted = acceptedCorridor(body);
    return record(intentHash, body, accepted, client);
  }

  async function record(
    intentHash: string,
    body: CreateIntentBody,
    accepted: AcceptedCorridor,
    client: string,
  ): Promise<{ created: boolean; intent: Intent }> {
    const quote = await quoteFor(body, plainDecimal(body.sellAmount));
    const { anchorId, anchorTransactionId } = body;
    const hasToWait = anchorTransactionId !== undefined && (await waits({ anchorId, client }));
    const nowMs = clock();
    const intent = newIntent({ intentHash, body, ...accepted, quote, nowMs, client, waits: hasToWait });
    if (!(await store.insert(intent))) {
      // Either the same request came first, or another intent has the transaction: this one then claims it.
      const bare = withoutTransaction(intent);
      const created = (await store.findCurrent(intentHash)) === null && (await store.insert(bare));
      const first = created ? bare : ((await store.findCurrent(intentHash)) ?? bare);
      return { created, intent: await repeat(first, body.anchorTransactionId) };
    }
    if (intent.transactionId !== undefined) onAttached();
    return { created: true, intent };
  }

  /** Returns the stored intent where the same one is sent again, with the transaction attached if one is given. */
  async function repeat(known: Intent, transactionId: string | undefined): Promise<Intent> {
    return transactionId === undefined ? known : attach(known, transactionId);
  }

  /**
   * Validates the terms and returns their corridor, and the anchor's delivery methods there. Throws INVALID_REQUEST,
   * UNSUPPORTED_PAIR and AMOUNT_OUT_OF_RANGE.
   */
  function acceptedCorridor(body: CreateIntentBody): AcceptedCorridor {
    refuse(termFaults(body, clock()));
    const accepted = corridorOf(body);
    const { corridor } = accepted;
    refuse(minReceiveFaults(body.minReceive, corridor.payoutDecimals));
    if (isOutOfRange(plainDecimal(body.sellAmount), corridor)) {
      throw outOfRange(`must be between ${corridor.min} and ${corridor.max} in this corridor`);
    }
    return accepted;
  }

  /** Throws UNSUPPORTED_PAIR. */
  function corridorOf({
    corridor: corridorId,
    anchorId,
    deliveryMethod,
  }: CreateIntentBody): AcceptedCorridor {
    const corridor = directory.corridor(corridorId);
    if (corridor === undefined) throw unsupportedPair('body.corridor', 'is not a corridor that is served');
    if (directory.anchor(anchorId) === undefined)
      throw unsupportedPair('body.anchorId', 'is not in the fleet');
    const served = directory
      .anchorsOf(corridorId)
      .find(({ id }) => id === anchorId)
      ?.corridors.find(({ id }) => id === corridorId);
    if (served === undefined) throw unsupportedPair('body.anchorId', 'does not serve this corridor');
    if (
      deliveryMethod !== undefined &&
      findDeliveryMethod(served.deliveryMethods, deliveryMethod) === undefined
    ) {
      throw unsupportedPair('body.deliveryMethod', 'is not offered by this anchor in this corridor');
    }
    return { corridor, offered: served.deliveryMethods };
  }

  /** Null if the anchor has no quote at the moment; an intent may be registered all the same. */
  async function quoteFor(body: CreateIntentBody, sellAmount: string): Promise<AcceptedQuote | null> {
    const { corridor, anchorId, deliveryMethod, minReceive } = body;
    const answer = await quoteFrom(corridor, anchorId, sellAmount, deliveryMethod);
    if (answer.quote === null) {
      if (answer.reason === 'refused_amount') throw outOfRange('is not quoted by this anchor');
      if (minReceive === undefined) return null;
      const message = `The anchor has no quote at the moment to hold minReceive against (${answer.reason}).`;
      const { reason, retryAfter } = answer;
      throw new ApiError('RATES_UNAVAILABLE', message, {
        unavailable: [{ anchorId, reason }],
        ...(retryAfter === null ? {} : { retryAfter }),
      });
    }
    const { tier, rate, adjusted, receiveAmount, quotedAt, unranked } = answer.quote;
    if (minReceive !== undefined && paysLess(answer.quote, sellAmount, minReceive)) {
      throw new ApiError('QUOTE_BELOW_MINIMUM', `The anchor quotes ${receiveAmount}, below minReceive.`);
    }
    const quotedFor = answer.quote.sellAmount;
    return {
      tier,
      sellAmount: quotedFor,
      receiveAmount,
      rate,
      adjusted,
      quotedAt: new Date(quotedAt),
      unranked,
    };
  }

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

interface AcceptedCorridor {
  corridor: Corridor;
  offered: readonly string[];
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw invalidRequest(faults);
}

function outOfRange(message: string): ApiError {
  const path = 'body.sellAmount';
  return new ApiError('AMOUNT_OUT_OF_RANGE', `${path}: ${message}`, { details: [{ path, message }] });
}
