import { isRefused, type Refused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import { type FxReading, offerFromFee, readFeeSchedule } from './estimate.rules.js';
import { costOf } from './mid-market.rules.js';
import type { AskedBy, QuoteResult } from './offer.rules.js';
import { contextFor, offerFromPrice, priceUrl, reasonOfStatus } from './sep38.rules.js';

/** The public offer of an anchor at the reference amount of a corridor. */
export interface ReferenceOffer {
  tier: 'anchor' | 'estimate';
  /** Fiat per one stablecoin, all fees included. */
  rate: string;
  /** The loss against the mid-market, in per cent with two places; null without a reference rate. */
  costPercent: string | null;
}

export type ReferenceOffers = typeof referenceOffers;

/** Reads the public answers of an anchor by the same rules as for rates, for those who only observe. */
export const referenceOffers = {
  /** The address of the price of the reference amount, by any delivery method, and what an answer of it says. */
  price(endpoints: AnchorEndpoints, corridor: Corridor, market: FxReading) {
    const context = contextFor(endpoints);
    const { referenceAmount: amount } = corridor;
    return {
      url: priceUrl(endpoints.quoteServer ?? '', corridor, { amount, deliveryMethod: undefined, context }),
      read({ status, body, json }: { status: number; body: Buffer; json: unknown }) {
        if (status !== 200) return reasonOfStatus(status, body.toString());
        return shown(offerFromPrice(json, corridor, asked(corridor), context), market) ?? 'malformed';
      },
    };
  },
  /** By the published fee; undefined without a fee or a reference rate, and if the anchor does not take the amount. */
  estimate(infos: Record<'sep24' | 'sep6', unknown>, corridor: Corridor, market: FxReading) {
    if ('missing' in market) return undefined;
    for (const source of ['sep24', 'sep6'] as const) {
      const schedule = readFeeSchedule(infos[source], corridor.sellAsset, source);
      if (schedule !== null && !isRefused(schedule))
        return shown(offerFromFee(corridor, asked(corridor), schedule, market), market);
    }
    return undefined;
  },
};

function asked({ referenceAmount }: Corridor): AskedBy {
  return { amount: referenceAmount, deliveryMethod: null };
}

function shown(result: QuoteResult | Refused, reading: FxReading): ReferenceOffer | undefined {
  if (!('offer' in result)) return undefined;
  const { tier, rate } = result.offer;
  const { cost } = costOf(result.offer, { reading, source: '' });
  return { tier, rate, costPercent: cost?.percent ?? null };
}
