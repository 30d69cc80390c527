import type { Decimal } from 'decimal.js';
import type { RateQuote } from '../../../contract/schemas/rates.js';
import { fiatAmount, plainDecimal } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { FeeSchedule } from './fee-schedule.rules.js';
import type { FxRate } from './fx.rules.js';
import { effectiveRate, Money, roundFee, roundPayout, stablecoinPlaces } from './money.rules.js';
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

/** An offer, or the reason why there can be none. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; reason: 'malformed' | 'refused_amount' };

/**
 * An offer from a SEP-38 price. Amounts that the user receives are rounded down, amounts that the user pays are rounded
 * up. The rate is recomputed from the amounts, since printed prices are rounded and older dialects have none that
 * includes the fee.
 */
export function offerFromSep38(
  corridor: Corridor,
  asked: { amount: string; deliveryMethod: string | null },
  price: Sep38Price,
): Outcome<Offer> {
  const sell = roundFee(new Money(price.sellAmount), stablecoinPlaces);
  const receive = roundPayout(new Money(price.buyAmount), corridor.payoutDecimals);
  if (receive.isZero()) return { ok: false, reason: 'malformed' };
  return {
    ok: true,
    value: {
      tier: 'anchor',
      ...amounts(corridor, sell, receive, asked.amount),
      fee: price.fee === null ? null : toFee(corridor, price.fee),
      deliveryMethod: asked.deliveryMethod,
      sep38: {
        price: price.price,
        totalPrice: price.totalPrice,
        sellAmount: price.sellAmount,
        buyAmount: price.buyAmount,
        context: price.context,
      },
      estimate: null,
    },
  };
}

/**
 * An estimate: (amount − fee) × FX, where the fee is the larger of the minimum and fixed + percent (SEP-24 §Info;
 * `fee_percent` is in percentage points, whatever its printed formula says). Fee up, payout down.
 */
export function offerFromFee(
  corridor: Corridor,
  asked: { amount: string; deliveryMethod: string | null },
  schedule: FeeSchedule,
  fx: FxRate,
): Outcome<Offer> {
  const sell = new Money(asked.amount);
  const tooSmall = schedule.min !== null && sell.lt(schedule.min);
  const tooLarge = schedule.max !== null && sell.gt(schedule.max);
  if (tooSmall || tooLarge) return { ok: false, reason: 'refused_amount' };
  const computed = sell.mul(schedule.feePercent).div(100).add(schedule.feeFixed);
  const fee = roundFee(Money.max(computed, schedule.feeMinimum), stablecoinPlaces);
  const receive = roundPayout(sell.sub(fee).mul(fx.rate), corridor.payoutDecimals);
  if (receive.lte(0)) return { ok: false, reason: 'refused_amount' };
  return {
    ok: true,
    value: {
      tier: 'estimate',
      ...amounts(corridor, sell, receive, asked.amount),
      fee: { total: plainDecimal(fee), asset: corridor.sellAsset },
      deliveryMethod: asked.deliveryMethod,
      sep38: null,
      estimate: {
        source: schedule.source,
        feeFixed: schedule.feeFixed,
        feePercent: schedule.feePercent,
        feeMinimum: schedule.feeMinimum,
        fxRate: fx.rate,
        fxBase: fx.base,
        fxDate: fx.date,
      },
    },
  };
}

function amounts(corridor: Corridor, sell: Decimal, receive: Decimal, askedAmount: string) {
  return {
    sellAmount: plainDecimal(sell),
    receiveAmount: fiatAmount(receive, corridor.payoutDecimals),
    adjusted: !sell.eq(askedAmount),
    rate: effectiveRate(receive, sell),
  };
}

function toFee(corridor: Corridor, fee: { total: string; asset: string }): { total: string; asset: string } {
  const isFiat = fee.asset !== corridor.sellAsset;
  const decimals = isFiat ? corridor.payoutDecimals : stablecoinPlaces;
  const total = roundFee(new Money(fee.total), decimals);
  return { total: isFiat ? fiatAmount(total, decimals) : plainDecimal(total), asset: fee.asset };
}
