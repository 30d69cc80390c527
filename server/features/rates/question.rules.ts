import type { RatesQuery } from '../../../contract/schemas/rates.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { ApiError, invalidRequest } from '../../errors.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';

/**
 * What a question is about: what this much stablecoin pays out, or how much stablecoin it takes to be paid out this much
 * fiat. Either is a normalised decimal.
 */
export type AskedFor = { amount: string; receive?: undefined } | { receive: string; amount?: undefined };

/** For keys of caches: the same number asked for on the other side is another question. */
export function keyOfAsked(asked: AskedFor): string {
  return asked.receive === undefined ? `sell ${asked.amount}` : `receive ${asked.receive}`;
}

/** Whether this is the question that is asked in the background all the time: for any delivery method. */
export function isReferenceQuestion(question: {
  asked: AskedFor;
  corridor: Pick<Corridor, 'referenceAmount'>;
  deliveryMethod: string | undefined;
}): boolean {
  const { asked, corridor, deliveryMethod } = question;
  return asked.amount === corridor.referenceAmount && deliveryMethod === undefined;
}

/** A question about the present. */
export type LiveQuery = Omit<RatesQuery, 'asOf'>;

/** The instant of the past that a query asks for; undefined for the present. Throws INVALID_REQUEST beside anything else. */
export function pastInstantIn({ asOf, ...live }: RatesQuery): string | undefined {
  if (asOf === undefined) return undefined;
  const given = Object.keys(live);
  if (given.length === 0) return asOf;
  const message = 'cannot be given together with asOf, which is for the answer at the reference amount';
  throw invalidRequest(given.map((name) => ({ path: `query.${name}`, message })));
}

/** What a query asks for, the reference amount if it does not say. Throws INVALID_REQUEST and AMOUNT_OUT_OF_RANGE. */
export function askedFor(
  { amount, receive }: Pick<RatesQuery, 'amount' | 'receive'>,
  corridor: Corridor,
): AskedFor {
  if (receive !== undefined) {
    if (amount !== undefined) throw receiveFault('cannot be given together with amount');
    const asked = plainDecimal(receive);
    const { payoutDecimals } = corridor;
    if ((asked.split('.')[1] ?? '').length > payoutDecimals) {
      throw receiveFault(`must have at most ${payoutDecimals} decimals in this corridor`);
    }
    return { receive: asked };
  }
  const asked = plainDecimal(amount ?? corridor.referenceAmount);
  if (isOutOfRange(asked, corridor)) {
    throw amountError('query.amount', `must be between ${corridor.min} and ${corridor.max} in this corridor`);
  }
  return { amount: asked };
}

function receiveFault(message: string): ApiError {
  return invalidRequest([{ path: 'query.receive', message }]);
}

/** AMOUNT_OUT_OF_RANGE for an amount, or a payout, that no anchor quotes. */
export function allRefused(asked: AskedFor): ApiError {
  if (asked.receive === undefined) {
    return amountError('query.amount', 'Every anchor of this corridor refuses this amount.');
  }
  const message =
    'Every anchor of this corridor refuses this amount, or would take an amount outside the limits of the corridor.';
  return amountError('query.receive', message);
}

function amountError(path: 'query.amount' | 'query.receive', message: string): ApiError {
  return new ApiError('AMOUNT_OUT_OF_RANGE', message, { details: [{ path, message }] });
}
