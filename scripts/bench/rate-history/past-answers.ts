import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import type { Corridor } from '../../../server/features/anchors/fleet-file.rules.js';
import {
  assembleAnswer,
  ownPriceIn,
  type QuoteResult,
  type Reply,
} from '../../../server/features/rates/answer.rules.js';
import { bandOf } from '../../../server/features/rates/band.rules.js';
import { offerFromFee, offerFromSep38 } from '../../../server/features/rates/quote.rules.js';
import { type QuoteReputation, typicalRecord } from '../../../server/features/rates/record.rules.js';
import {
  Amount,
  anchorRate,
  driftPpm,
  marketRate,
  type PriceTerms,
  priceForSell,
  ratio,
} from '../../simulated-anchors/pricing.js';

/** Replies arrive within the two seconds that an anchor has. */
const longestReplyMs = 1_900;
const quarterMs = 900_000;
const dayMs = 86_400_000;

interface PastAnchor {
  id: string;
  corridor: Corridor;
  /** Four in five quote prices of their own, one is estimated from its fee. */
  isEstimate: boolean;
  marginPercent: string;
}

/**
 * The answers that a corridor with this many anchors would have given, by the rules of the real ones: prices drift like
 * those of the simulated anchors, records change within hours, and one anchor in fifty does not answer.
 */
export function pastAnswers(corridor: Corridor, anchors: number): (epochMs: number) => RatesAnswer {
  const all = Array.from({ length: anchors }, (_, index): PastAnchor => {
    const id = `anchor-${String(index + 1).padStart(2, '0')}`;
    return { id, corridor, isEstimate: index % 5 === 4, marginPercent: (0.3 + (index % 17) / 10).toFixed(1) };
  });

  return (epochMs) => {
    const { currency, sellCode } = corridor;
    const reference = {
      rate: marketRate(currency, epochMs, sellCode).toFixed(),
      base: 'USD',
      date: new Date(epochMs).toISOString().slice(0, 10),
    };
    const replies = all.map((anchor) => replyOf(anchor, reference, epochMs));
    const records = new Map(all.map((anchor) => [anchor.id, recordOf(anchor, epochMs)]));
    const prices = replies.flatMap((reply) => ownPriceIn(reply) ?? []);
    return assembleAnswer(corridor, { amount: corridor.referenceAmount }, replies, {
      reputationOf: (id) => records.get(id) as QuoteReputation,
      typical: typicalRecord([...records.values()], corridor.speedTargetSeconds),
      market: { reading: reference, source: 'simulated market' },
      band: bandOf({ prices, market: reference, factor: corridor.quoteBandFactor }),
      sort: 'best',
      asOf: Math.min(...replies.map(({ at }) => at)),
      stale: false,
    });
  };
}

type Reference = { rate: string; base: string; date: string };

function replyOf(anchor: PastAnchor, reference: Reference, epochMs: number): Reply {
  const { id } = anchor;
  return {
    anchorId: id,
    anchorName: `Anchor ${id.slice(-2)}`,
    simulated: true,
    result:
      spread(anchor, 'silence', epochMs, quarterMs, 100) > 2
        ? quoteOf(anchor, reference, epochMs)
        : { reason: 'timeout' },
    at: epochMs - spread(anchor, 'reply', epochMs, quarterMs, longestReplyMs),
    priority: 'reference',
  };
}

function quoteOf(anchor: PastAnchor, reference: Reference, epochMs: number): QuoteResult {
  const { corridor, id, isEstimate, marginPercent } = anchor;
  const { referenceAmount: amount, currency, sellAsset, payoutDecimals } = corridor;
  const asked = { amount, deliveryMethod: null };
  if (isEstimate) {
    const fee = { feeFixed: '0.5', feePercent: marginPercent, feeMinimum: '0', min: null, max: null };
    const outcome = offerFromFee(corridor, asked, { source: 'sep24', ...fee }, reference);
    return outcome.ok ? { offer: outcome.value } : { reason: outcome.reason };
  }
  const market = new Amount(reference.rate);
  const terms: PriceTerms = {
    rate: anchorRate(market, { id, marginPercent, currency, epochMs, seed: corridor.id }),
    feePercent: '0.5',
    feeFixed: '0.25',
    payoutPlaces: payoutDecimals,
    lot: null,
  };
  const priced = priceForSell(new Amount(amount), terms);
  if (priced === null) return { reason: 'refused_amount' };
  const { sell, buy, fee } = priced;
  const outcome = offerFromSep38(corridor, asked, {
    price: ratio(sell.sub(fee), buy),
    totalPrice: ratio(sell, buy),
    sellAmount: sell.toFixed(),
    buyAmount: buy.toFixed(),
    fee: { total: fee.toFixed(), asset: sellAsset },
    context: 'sep6',
  });
  return outcome.ok ? { offer: outcome.value } : { reason: outcome.reason };
}

/** Every anchor has some outcomes a day, and its figures move with them. */
function recordOf(anchor: PastAnchor, epochMs: number): QuoteReputation {
  const at = epochMs - (epochMs % (4 * quarterMs));
  const share = (what: string, most: number) => spread(anchor, what, at, dayMs, most);
  return {
    score: (80 + share('score', 1_900) / 100).toFixed(2),
    state: 'scored',
    outcomes: 200 + share('outcomes', 300),
    fillRate: (0.95 + share('filled', 49_000) / 1_000_000).toFixed(6),
    p50SettleSeconds: 40 + share('p50', 60),
    p95SettleSeconds: 140 + share('p95', 200),
    meanShortfall: (share('shortfall', 5_000) / 1_000_000).toFixed(9),
  };
}

/** A whole number from 0 to `most` that drifts with time. */
function spread(
  { id, corridor }: PastAnchor,
  what: string,
  epochMs: number,
  periodMs: number,
  most: number,
): number {
  return Math.abs(driftPpm(`${corridor.id}|${id}|${what}`, epochMs, periodMs, most));
}
