import type { Decimal } from 'decimal.js';
import type { RateQuote } from '../../../contract/schemas/rates.js';
import { fiatAmount, isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { FeeSchedule } from './fee-schedule.rules.js';
import type { FxRate } from './fx.rules.js';
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

/** An offer, or the reason why there can be none. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; reason: 'malformed' | 'refused_amount' };

/**
 * An offer from a SEP-38 price. Amounts that the user receives are rounded down, amounts that the user pays are rounded
 * up. The rate is recomputed from the amounts, since printed prices are rounded and older dialects have none that
 * includes the fee.
 */
export function offerFromSep38(
  corridor: Corridor,
  asked: AskedFor & { deliveryMethod: string | null },
  price: Sep38Price,
): Outcome<Offer> {
  const sell = roundFee(new Money(price.sellAmount), stablecoinPlaces);
  const receive = roundPayout(new Money(price.buyAmount), corridor.payoutDecimals);
  if (receive.isZero()) return { ok: false, reason: 'malformed' };
  if (takesTooMuchOrLittle(corridor, sell, asked)) return { ok: false, reason: 'refused_amount' };
  return {
    ok: true,
    value: {
      tier: 'anchor',
      ...amounts(corridor, sell, receive, asked),
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
 * `fee_percent` is in percentage points, whatever its printed formula says). The fee is rounded up, the payout down. If a
 * payout is asked for, the amount is the least that reaches it.
 */
export function offerFromFee(
  corridor: Corridor,
  asked: AskedFor & { deliveryMethod: string | null },
  schedule: FeeSchedule,
  fx: FxRate,
): Outcome<Offer> {
  const sell =
    asked.receive === undefined ? new Money(asked.amount) : leastAmountFor(asked.receive, schedule, fx);
  if (sell === undefined || takesTooMuchOrLittle(corridor, sell, asked)) {
    return { ok: false, reason: 'refused_amount' };
  }
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
      ...amounts(corridor, sell, receive, asked),
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

/**
 * The least amount, in stroops, whose payout by this fee reaches `receive`; undefined if the fee takes everything.
 * The fee is rounded up to a stroop, so the net amount is a whole number of stroops too, and never falls as the amount
 * grows: net = min(⌊amount × (1 − percent) − fixed⌋, amount − minimum). Both bounds are solved for the net amount that the
 * payout needs.
 */
function leastAmountFor(receive: string, schedule: FeeSchedule, fx: FxRate): Decimal | undefined {
  const keptPercent = new Money(100).sub(schedule.feePercent);
  if (keptPercent.lte(0)) return undefined;
  const net = roundFee(new Money(receive).div(fx.rate), stablecoinPlaces);
  const byPercent = roundFee(net.add(schedule.feeFixed).mul(100).div(keptPercent), stablecoinPlaces);
  const byMinimum = net.add(roundFee(new Money(schedule.feeMinimum), stablecoinPlaces));
  return Money.max(byPercent, byMinimum);
}

/** Checks the limits of the corridor if the anchor names the amount. An amount that the client names was checked before. */
function takesTooMuchOrLittle(corridor: Corridor, sell: Decimal, asked: AskedFor): boolean {
  return asked.receive !== undefined && isOutOfRange(sell.toFixed(), corridor);
}

function amounts(corridor: Corridor, sell: Decimal, receive: Decimal, asked: AskedFor) {
  return {
    sellAmount: plainDecimal(sell),
    receiveAmount: fiatAmount(receive, corridor.payoutDecimals),
    adjusted: asked.receive === undefined ? !sell.eq(asked.amount) : !receive.eq(asked.receive),
    rate: effectiveRate(receive, sell),
  };
}

function toFee(corridor: Corridor, fee: { total: string; asset: string }): { total: string; asset: string } {
  const isFiat = fee.asset !== corridor.sellAsset;
  const decimals = isFiat ? corridor.payoutDecimals : stablecoinPlaces;
  const total = roundFee(new Money(fee.total), decimals);
  return { total: isFiat ? fiatAmount(total, decimals) : plainDecimal(total), asset: fee.asset };
}
