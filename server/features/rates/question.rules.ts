import type { RatesQuery } from '../../../contract/schemas/rates.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { ApiError, invalidRequest } from '../../errors.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';

/**
 * The amount of a question: either the stablecoin to sell (`amount`) or the fiat to be paid out (`receive`), as a normalised
 * decimal.
 */
export type AskedFor = { amount: string; receive?: undefined } | { receive: string; amount?: undefined };

/** Part of the keys of caches. It distinguishes an amount to sell from the same number as a payout. */
export function keyOfAsked(asked: AskedFor): string {
  return asked.receive === undefined ? `sell ${asked.amount}` : `receive ${asked.receive}`;
}

/** Whether this is the question that is asked regularly in the background: the reference amount by any delivery method. */
export function isReferenceQuestion(question: {
  asked: AskedFor;
  corridor: Pick<Corridor, 'referenceAmount'>;
  deliveryMethod: string | undefined;
}): boolean {
  const { asked, corridor, deliveryMethod } = question;
  return asked.amount === corridor.referenceAmount && deliveryMethod === undefined;
}

/** The amount of a query; default: the reference amount. Throws INVALID_REQUEST and AMOUNT_OUT_OF_RANGE. */
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
    const fault = `must be between ${corridor.min} and ${corridor.max} in this corridor`;
    throw amountError('query.amount', fault, `query.amount: ${fault}`);
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

function amountError(path: 'query.amount' | 'query.receive', fault: string, message = fault): ApiError {
  return new ApiError('AMOUNT_OUT_OF_RANGE', message, { details: [{ path, message: fault }] });
}
