import type { Decimal } from 'decimal.js';
import type { RateQuote, UnavailableReason } from '../../../contract/schemas/rates.js';
import { fiatAmount, isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import { effectiveRate, Money, roundFee, roundPayout, stablecoinPlaces } from './money.rules.js';
import type { AskedFor } from './question.rules.js';
import type { Sep38Price } from './sep38.rules.js';

/** What an anchor offers, before its name and record are added. */
export type Offer = Pick<
  RateQuote,
  | 'tier'
  | 'sellAmount'
  | 'receiveAmount'
  | 'adjusted'
  | 'rate'
  | 'fee'
  | 'deliveryMethod'
  | 'sep38'
  | 'estimate'
>;

/** The result of asking one anchor: an offer, or the reason why there is none. */
export type QuoteResult = { offer: Offer } | { reason: UnavailableReason };

/** An amount that is asked for by the delivery method that the offer shows. */
export type AskedBy = AskedFor & { deliveryMethod: string | null };

/**
 * An offer from a SEP-38 price. Amounts that the user receives are rounded down, amounts that the user pays are rounded
 * up. The rate is recomputed from the amounts, since printed prices are rounded and older dialects have none that
 * includes the fee.
 */
export function offerFromSep38(corridor: Corridor, asked: AskedBy, price: Sep38Price): QuoteResult {
  const sell = roundFee(new Money(price.sellAmount), stablecoinPlaces);
  const receive = roundPayout(new Money(price.buyAmount), corridor.payoutDecimals);
  if (receive.isZero()) return { reason: 'malformed' };
  if (takesTooMuchOrLittle(corridor, sell, asked)) return { reason: 'refused_amount' };
  const { fee, ...sep38 } = price;
  const amounts = offeredAmounts(corridor, sell, receive, asked);
  const shownFee = fee === null ? null : toFee(corridor, fee);
  return { offer: { tier: 'anchor', ...amounts, fee: shownFee, sep38, estimate: null } };
}

/** Checks the limits of the corridor if the anchor names the amount. An amount that the client names was checked before. */
export function takesTooMuchOrLittle(corridor: Corridor, sell: Decimal, asked: AskedFor): boolean {
  return asked.receive !== undefined && isOutOfRange(sell.toFixed(), corridor);
}

export function offeredAmounts(corridor: Corridor, sell: Decimal, receive: Decimal, asked: AskedBy) {
  return {
    sellAmount: plainDecimal(sell),
    receiveAmount: fiatAmount(receive, corridor.payoutDecimals),
    adjusted: asked.receive === undefined ? !sell.eq(asked.amount) : !receive.eq(asked.receive),
    rate: effectiveRate(receive, sell),
    deliveryMethod: asked.deliveryMethod,
  };
}

function toFee(corridor: Corridor, fee: { total: string; asset: string }): { total: string; asset: string } {
  const isFiat = fee.asset !== corridor.sellAsset;
  const decimals = isFiat ? corridor.payoutDecimals : stablecoinPlaces;
  const total = roundFee(new Money(fee.total), decimals);
  return { total: isFiat ? fiatAmount(total, decimals) : plainDecimal(total), asset: fee.asset };
}
