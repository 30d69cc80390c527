import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import {
  type FeeReading,
  type FeeSchedule,
  type FxReading,
  offerFromFee,
  readFeeSchedule,
} from './estimate.rules.js';
import { costOf } from './mid-market.rules.js';
import { Money } from './money.rules.js';
import { type Offer, offerFromSep38 } from './offer.rules.js';
import { contextFor, priceUrl, readPrice, reasonOfStatus } from './sep38.rules.js';

/** The public offer of an anchor at the reference amount of a corridor. */
export interface ReferenceOffer {
  tier: 'anchor' | 'estimate';
  /** Fiat per one stablecoin, all fees included. */
  rate: string;
  /** The loss against the mid-market, in per cent with two places; null without a reference rate. */
  costPercent: string | null;
  /** The fee as a share of the amount, in per cent with two places; null if the anchor states none. */
  feePercent: string | null;
}

/** Reads the public answers of an anchor by the same rules as for rates, for callers that only observe. */
export interface ReferenceOffers {
  /** The address of the price of the reference amount, by any delivery method. */
  priceUrl(endpoints: AnchorEndpoints, corridor: Corridor): string;
  /** Undefined if the JSON is not a valid price of the pair. */
  readPrice(
    json: unknown,
    about: { endpoints: AnchorEndpoints; corridor: Corridor; market: FxReading },
  ): ReferenceOffer | undefined;
  /** The meaning of a status other than 200 in answer to a price request. */
  reasonOfStatus(status: number, body: string): UnavailableReason;
  readFee(json: unknown, assetCode: string, source: FeeSchedule['source']): FeeReading;
  /** Undefined without a reference rate, and if the anchor does not take the amount. */
  estimate(
    schedule: FeeSchedule,
    about: { corridor: Corridor; market: FxReading },
  ): ReferenceOffer | undefined;
  /** The whole fee at the reference amount, in per cent of it with two places. */
  feePercentOf(schedule: FeeSchedule, corridor: Corridor): string;
}

const percentPlaces = 2;

export const referenceOffers: ReferenceOffers = {
  priceUrl: (endpoints, corridor) =>
    priceUrl(endpoints.quoteServer ?? '', corridor, { ...asked(corridor), context: contextFor(endpoints) }),
  readPrice(json, { endpoints, corridor, market }) {
    const price = readPrice(json, corridor, contextFor(endpoints));
    if (price === undefined) return undefined;
    const offer = offerFromSep38(corridor, { ...asked(corridor), deliveryMethod: null }, price);
    return offer.ok ? toReferenceOffer(offer.value, corridor, market) : undefined;
  },
  reasonOfStatus,
  readFee: readFeeSchedule,
  estimate(schedule, { corridor, market }) {
    if ('missing' in market) return undefined;
    const offer = offerFromFee(corridor, { ...asked(corridor), deliveryMethod: null }, schedule, market);
    return offer.ok ? toReferenceOffer(offer.value, corridor, market) : undefined;
  },
  feePercentOf(schedule, { referenceAmount }) {
    const amount = new Money(referenceAmount);
    const computed = amount.mul(schedule.feePercent).div(100).add(schedule.feeFixed);
    return percentOf(Money.max(computed, schedule.feeMinimum), amount);
  },
};

function asked({ referenceAmount }: Corridor): { amount: string; deliveryMethod: undefined } {
  return { amount: referenceAmount, deliveryMethod: undefined };
}

function toReferenceOffer(offer: Offer, corridor: Corridor, market: FxReading): ReferenceOffer {
  const { tier, rate, fee } = offer;
  const { cost } = costOf(offer, { reading: market, source: '' });
  return { tier, rate, costPercent: cost?.percent ?? null, feePercent: fee && shareOf(fee, offer, corridor) };
}

/** A fee in the currency is a share of the payout that there would be without it. */
function shareOf(fee: NonNullable<Offer['fee']>, offer: Offer, corridor: Corridor): string {
  const total = new Money(fee.total);
  if (fee.asset === corridor.sellAsset) return percentOf(total, new Money(offer.sellAmount));
  return percentOf(total, total.add(offer.receiveAmount));
}

function percentOf(part: InstanceType<typeof Money>, whole: InstanceType<typeof Money>): string {
  return part.mul(100).div(whole).toFixed(percentPlaces);
}
