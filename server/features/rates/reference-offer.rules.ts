import { isRefused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import {
  type FeeReading,
  type FeeSchedule,
  type FxReading,
  offerFromFee,
  readFeeSchedule,
} from './estimate.rules.js';
import { costOf } from './mid-market.rules.js';
import { type Offer, offerFromSep38 } from './offer.rules.js';
import { contextFor, priceUrl, readPrice, reasonOfStatus } from './sep38.rules.js';

/** The public offer of an anchor at the reference amount of a corridor. */
export interface ReferenceOffer {
  tier: 'anchor' | 'estimate';
  /** Fiat per one stablecoin, all fees included. */
  rate: string;
  /** The loss against the mid-market, in per cent with two places; null without a reference rate. */
  costPercent: string | null;
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
  readFee(json: unknown, asset: string, source: FeeSchedule['source']): FeeReading;
  /** Undefined without a reference rate, and if the anchor does not take the amount. */
  estimate(
    schedule: FeeSchedule,
    about: { corridor: Corridor; market: FxReading },
  ): ReferenceOffer | undefined;
}

export const referenceOffers: ReferenceOffers = {
  priceUrl: (endpoints, corridor) =>
    priceUrl(endpoints.quoteServer ?? '', corridor, { ...asked(corridor), context: contextFor(endpoints) }),
  readPrice(json, { endpoints, corridor, market }) {
    const price = readPrice(json, corridor, contextFor(endpoints));
    if (isRefused(price)) return undefined;
    const offer = offerFromSep38(corridor, { ...asked(corridor), deliveryMethod: null }, price);
    return offer.ok ? toReferenceOffer(offer.value, market) : undefined;
  },
  reasonOfStatus,
  readFee: readFeeSchedule,
  estimate(schedule, { corridor, market }) {
    if ('missing' in market) return undefined;
    const offer = offerFromFee(corridor, { ...asked(corridor), deliveryMethod: null }, schedule, market);
    return offer.ok ? toReferenceOffer(offer.value, market) : undefined;
  },
};

function asked({ referenceAmount }: Corridor): { amount: string; deliveryMethod: undefined } {
  return { amount: referenceAmount, deliveryMethod: undefined };
}

function toReferenceOffer(offer: Offer, market: FxReading): ReferenceOffer {
  const { cost } = costOf(offer, { reading: market, source: '' });
  return { tier: offer.tier, rate: offer.rate, costPercent: cost?.percent ?? null };
}
