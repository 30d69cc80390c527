import type { ErrorDetail } from '../../../contract/errors.js';
import type { CreateIntentBody } from '../../../contract/schemas/intents.js';
import { intentHash as hashOf } from '../../../contract/verification/intent-hash.js';
import { ApiError, invalidRequest } from '../../errors.js';
import { isDuplicateKey } from '../../mongo/failures.js';
import type { Clock } from '../../ports.js';
import type { Corridor } from '../anchors/fleet.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Rates } from '../rates/service.js';
import type { IntentDocument, StoredQuote } from './intent-document.js';
import { newIntent } from './new-intent.rules.js';
import type { MakeProgress } from './progress.js';
import type { IntentModel } from './store.js';
import { isOutside, minReceiveFaults, paysLess, plainAmount, termFaults } from './terms.rules.js';

export interface RegistrationDeps {
  model: IntentModel;
  directory: Pick<AnchorDirectory, 'corridor' | 'anchor' | 'anchorsOf'>;
  quoteFrom: Rates['quoteFrom'];
  progress: MakeProgress;
  clock: Clock;
  /** Told that a transaction was attached: it has to be seen before it is paid. */
  onAttached: () => void;
}

export interface Registered {
  /** True for the one request that recorded it. */
  created: boolean;
  intent: IntentDocument;
}

/** Records an intent, or finds it recorded and attaches its transaction. */
export type Register = (body: CreateIntentBody) => Promise<Registered>;

const retryAfterSeconds = 5;

export function createRegistration(deps: RegistrationDeps): Register {
  const { model, directory, quoteFrom, progress, clock, onAttached } = deps;

  /** The terms of the intent's corridor. Throws UNSUPPORTED_PAIR. */
  function corridorOf({ corridor: corridorId, anchorId, deliveryMethod }: CreateIntentBody): Corridor {
    const corridor = directory.corridor(corridorId);
    if (corridor === undefined) throw unsupported('body.corridor', 'is not a corridor that is served');
    if (directory.anchor(anchorId) === undefined) throw unsupported('body.anchorId', 'is not in the fleet');
    const served = directory
      .anchorsOf(corridorId)
      .find(({ id }) => id === anchorId)
      ?.corridors.find(({ id }) => id === corridorId);
    if (served === undefined) throw unsupported('body.anchorId', 'does not serve this corridor');
    if (deliveryMethod !== undefined && !served.deliveryMethods.includes(deliveryMethod)) {
      throw unsupported('body.deliveryMethod', 'is not offered by this anchor in this corridor');
    }
    return corridor;
  }

  /** Null where the anchor has none at the moment: that keeps nobody from using it. */
  async function quoteFor(body: CreateIntentBody, sellAmount: string): Promise<StoredQuote | null> {
    const { corridor, anchorId, deliveryMethod, minReceive } = body;
    const answer = await quoteFrom(corridor, anchorId, sellAmount, deliveryMethod);
    if (answer.quote === null) {
      if (answer.reason === 'refused_amount') throw outOfRange('is not quoted by this anchor');
      if (minReceive === undefined) return null;
      const message = `The anchor has no quote at the moment to hold minReceive against (${answer.reason}).`;
      throw new ApiError('RATES_UNAVAILABLE', message, { retryAfter: retryAfterSeconds });
    }
    const { tier, rate, adjusted, receiveAmount, quotedAt } = answer.quote;
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
    };
  }

  async function draft(intentHash: string, body: CreateIntentBody): Promise<IntentDocument> {
    refuse(termFaults(body, clock()));
    const corridor = corridorOf(body);
    refuse(minReceiveFaults(body.minReceive, corridor.payoutDecimals));
    const sellAmount = plainAmount(body.sellAmount);
    if (isOutside(sellAmount, corridor)) {
      throw outOfRange(`must be between ${corridor.min} and ${corridor.max} in this corridor`);
    }
    const quote = await quoteFor(body, sellAmount);
    return newIntent({ intentHash, body, corridor, quote, nowMs: clock() });
  }

  /** The same intent again: as it stands, with the transaction attached if it is given and none was. */
  async function repeat(known: IntentDocument, transactionId: string | undefined): Promise<IntentDocument> {
    let intent = known;
    if (transactionId === undefined || intent.transactionId === transactionId) return intent;
    if (intent.transactionId === undefined && intent.deadline.getTime() <= clock()) {
      // Its time is over: let it end before anything is attached, whether or not a job has come by.
      await progress(intent._id, { sight: null });
      intent = await reread(intent);
    }
    if (intent.transactionId === undefined) {
      if (intent.status !== 'pending') throw conflict('This intent ended before a transaction was attached.');
      intent = await attach(intent, transactionId);
    }
    if (intent.transactionId === transactionId) return intent;
    throw conflict('This intent already follows another transaction.');
  }

  async function attach(intent: IntentDocument, transactionId: string): Promise<IntentDocument> {
    const now = new Date(clock());
    const attached = await model
      .findOneAndUpdate(
        { _id: intent._id, status: 'pending', transactionId: { $exists: false } },
        { $set: { transactionId, attachedAt: now, due: now }, $inc: { version: 1 } },
        { returnDocument: 'after' },
      )
      .lean<IntentDocument>()
      .catch((error: unknown) => {
        throw isDuplicateKey(error) ? taken() : error;
      });
    if (attached === null) return reread(intent);
    onAttached();
    return attached;
  }

  async function reread(intent: IntentDocument): Promise<IntentDocument> {
    return (await model.findById(intent._id).lean<IntentDocument>()) ?? intent;
  }

  return async (body) => {
    const intentHash = hashOf(body);
    const known = await model.findById(intentHash).lean<IntentDocument>();
    if (known !== null) return { created: false, intent: await repeat(known, body.anchorTransactionId) };
    const intent = await draft(intentHash, body);
    try {
      await model.create([intent]);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Either the same request came first, or another intent has the transaction.
      const first = await model.findById(intentHash).lean<IntentDocument>();
      if (first === null) throw taken();
      return { created: false, intent: await repeat(first, body.anchorTransactionId) };
    }
    if (intent.transactionId !== undefined) onAttached();
    return { created: true, intent };
  };
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw invalidRequest(faults);
}

function unsupported(path: string, message: string): ApiError {
  return new ApiError('UNSUPPORTED_PAIR', `${path}: ${message}`, { details: [{ path, message }] });
}

function outOfRange(message: string): ApiError {
  const path = 'body.sellAmount';
  return new ApiError('AMOUNT_OUT_OF_RANGE', `${path}: ${message}`, { details: [{ path, message }] });
}

function conflict(message: string): ApiError {
  return new ApiError('TRANSACTION_CONFLICT', message);
}

function taken(): ApiError {
  return conflict('This transaction already belongs to another intent of this anchor.');
}
