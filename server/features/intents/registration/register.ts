import type { ErrorDetail } from '../../../../contract/errors.js';
import type { CreateIntentBody } from '../../../../contract/schemas/intents.js';
import { intentHash as hashOf } from '../../../../contract/verification/intent-hash.js';
import { isOutOfRange, plainDecimal } from '../../../amounts.rules.js';
import { findDeliveryMethod } from '../../../delivery-methods.rules.js';
import { ApiError, invalidRequest, unsupportedPair } from '../../../errors.js';
import type { Clock } from '../../../ports.js';
import type { Corridor } from '../../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../../anchors/service.js';
import type { Rates } from '../../rates/service.js';
import type { AttachTransaction } from '../holder/attach.js';
import type { AcceptedQuote, Intent } from '../intent.js';
import type { HasToWait } from '../polls/places.js';
import type { IntentStore } from '../store.js';
import { minReceiveFaults, newIntent, paysLess, termFaults, withoutTransaction } from './new-intent.rules.js';

export interface RegisterDeps {
  store: Pick<IntentStore, 'findByHash' | 'findCurrent' | 'insert'>;
  directory: Pick<AnchorDirectory, 'corridor' | 'anchor' | 'anchorsOf'>;
  quoteFrom: Rates['quoteFrom'];
  attach: AttachTransaction;
  waits: HasToWait;
  /** Called when an intent was stored with a transaction: it has to be observed before it is paid. */
  onAttached: () => void;
  clock: Clock;
}

/** Stores an intent, or finds it stored; the service's interface says what it throws. */
export type Register = (
  body: CreateIntentBody,
  client: string,
) => Promise<{ created: boolean; intent: Intent }>;

export function createRegister(deps: RegisterDeps): Register {
  const { store, directory, quoteFrom, attach, waits, onAttached, clock } = deps;

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
      const stored = await store.findCurrent(intentHash);
      const created = stored === null && (await store.insert(bare));
      const first = stored ?? (created ? bare : ((await store.findCurrent(intentHash)) ?? bare));
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
    return { corridor, served };
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

  return register;
}

interface AcceptedCorridor {
  corridor: Corridor;
  served: { deliveryMethods: readonly string[]; collected: readonly string[] };
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw invalidRequest(faults);
}

function outOfRange(message: string): ApiError {
  const path = 'body.sellAmount';
  return new ApiError('AMOUNT_OUT_OF_RANGE', `${path}: ${message}`, { details: [{ path, message }] });
}
