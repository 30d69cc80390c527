import type {
  RateQuote,
  RatesAnswer,
  ReputationState,
  UnavailableReason,
} from '../../../contract/schemas/rates.js';
import type { Corridor } from '../anchors/fleet.rules.js';
import { expectedReceive } from './money.rules.js';
import type { Offer } from './quote.rules.js';
import { rankQuotes } from './ranking.rules.js';

/** An anchor's record in a corridor, as quotes show it and make use of it. */
export interface QuoteReputation {
  score: string | null;
  state: ReputationState;
  outcomes: number;
  /** Mean share by which payouts fell short of the anchor's quotes, `0.0012`; null without any. */
  meanShortfall: string | null;
}

/** What one anchor said, and when. */
export interface Row {
  anchorId: string;
  anchorName: string;
  simulated: boolean;
  reply: { offer: Offer } | { reason: UnavailableReason };
  /** Epoch milliseconds of the reply. */
  at: number;
}

/** The quote that a row makes, with the anchor's record put to it; undefined where it holds a reason. */
export function toQuote(corridor: Corridor, row: Row, reputation: QuoteReputation): RateQuote | undefined {
  if ('reason' in row.reply) return undefined;
  const { offer } = row.reply;
  const { score, state, outcomes, meanShortfall } = reputation;
  return {
    anchorId: row.anchorId,
    anchorName: row.anchorName,
    simulated: row.simulated,
    ...offer,
    quotedAt: new Date(row.at).toISOString(),
    reputation: { score, state, outcomes },
    expectedReceive: expectedReceive(offer.receiveAmount, meanShortfall, corridor.payoutDecimals),
  };
}

export type Verdict = 'quotes' | 'nobody_serves' | 'all_refused' | 'nobody_answers';

/**
 * What the rows of all anchors come to. `nobody_serves`: none offers this delivery method, or none publishes a price;
 * `all_refused`: those that do refuse the amount; `nobody_answers`: some should have had a quote and gave none.
 */
export function judgeRows(rows: readonly Row[]): Verdict {
  const reasons = rows.flatMap((row) => ('reason' in row.reply ? [row.reply.reason] : []));
  if (reasons.length < rows.length) return 'quotes';
  if (reasons.every((reason) => reason === 'not_served')) return 'nobody_serves';
  const refused = reasons.every((reason) => reason === 'not_served' || reason === 'refused_amount');
  return refused ? 'all_refused' : 'nobody_answers';
}

/** The answer out of the rows: ranked, with the reasons of those that have no quote, in the order of anchor ids. */
export function assembleAnswer(
  corridor: Corridor,
  amount: string,
  rows: readonly Row[],
  context: { reputationOf: (anchorId: string) => QuoteReputation; asOf: number; stale: boolean },
): RatesAnswer {
  const quotes = rankQuotes(
    rows.flatMap((row) => toQuote(corridor, row, context.reputationOf(row.anchorId)) ?? []),
  );
  const best = quotes[0];
  return {
    corridor: corridor.id,
    sellAsset: corridor.sellAsset,
    buyAsset: corridor.buyAsset,
    amount,
    asOf: new Date(context.asOf).toISOString(),
    stale: context.stale,
    best: best === undefined ? null : { anchorId: best.anchorId },
    quotes,
    unavailable: rows.flatMap((row) =>
      'reason' in row.reply ? [{ anchorId: row.anchorId, reason: row.reply.reason }] : [],
    ),
  };
}
