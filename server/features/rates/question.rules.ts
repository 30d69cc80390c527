import type { QuoteSort, RatesQuery } from '../../../contract/schemas/rates.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { type ApiError, invalidRequest, outOfRange } from '../../errors.js';
import type { Corridor, FleetAnchor } from '../anchors/fleet-file.rules.js';

/**
 * The amount of a question: either the stablecoin to sell (`amount`) or the fiat to be paid out (`receive`), as a normalised
 * decimal.
 */
export type AskedFor = { amount: string; receive?: undefined } | { receive: string; amount?: undefined };

/** What a client asks of a corridor. */
export interface Question {
  corridor: Corridor;
  asked: AskedFor;
  /** The delivery method that is asked for, in any case; undefined: any method. */
  deliveryMethod: string | undefined;
  sort: QuoteSort;
}

/** A question to one anchor. */
export interface AnchorQuestion extends Omit<Question, 'sort'> {
  anchor: FleetAnchor;
  /** Whether an intent needs the answer, which has calls of its own. */
  forIntent: boolean;
}

/** The question that is asked regularly in the background: the reference amount by any delivery method. */
export function referenceQuestion(corridor: Corridor): Question {
  return { corridor, asked: { amount: corridor.referenceAmount }, deliveryMethod: undefined, sort: 'best' };
}

export function isReferenceQuestion({ asked, corridor, deliveryMethod }: Omit<Question, 'sort'>): boolean {
  return asked.amount === corridor.referenceAmount && deliveryMethod === undefined;
}

/** AMOUNT_OUT_OF_RANGE for an amount, or a payout, that no anchor quotes. */
export function allRefused(asked: AskedFor): ApiError {
  const path = asked.receive === undefined ? 'query.amount' : 'query.receive';
  return outOfRange(
    path,
    'is refused by every anchor, or takes an amount outside the limits of the corridor',
  );
}

/** The amount of a query; default: the reference amount. Throws INVALID_REQUEST and AMOUNT_OUT_OF_RANGE. */
export function askedFor(
  { amount, receive }: Pick<RatesQuery, 'amount' | 'receive'>,
  corridor: Corridor,
): AskedFor {
  if (receive === undefined) {
    const asked = plainDecimal(amount ?? corridor.referenceAmount);
    if (!isOutOfRange(asked, corridor)) return { amount: asked };
    throw outOfRange('query.amount', `must be between ${corridor.min} and ${corridor.max} in this corridor`);
  }
  if (amount !== undefined) throw receiveFault('cannot be given together with amount');
  const asked = plainDecimal(receive);
  const { payoutDecimals } = corridor;
  if ((asked.split('.')[1] ?? '').length > payoutDecimals)
    throw receiveFault(`must have at most ${payoutDecimals} decimals in this corridor`);
  return { receive: asked };
}

function receiveFault(message: string): ApiError {
  return invalidRequest([{ path: 'query.receive', message }]);
}

/** Questions with the same key have the same answer, apart from its order. */
export function keyOf({ corridor, asked, deliveryMethod = '' }: Omit<Question, 'sort'>): string {
  const amount = asked.receive === undefined ? `sell ${asked.amount}` : `receive ${asked.receive}`;
  return [corridor.id, amount, deliveryMethod.toLowerCase()].join('|');
}
