import type {
  QuoteSort,
  RateQuote,
  RatesAnswer,
  UnavailableReason,
} from '../../../contract/schemas/rates.js';
import { fiatAmount } from '../../amounts.rules.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import { type Band, costOf, type MidMarket, outsideBand } from './mid-market.rules.js';
import type { Offer, QuoteResult } from './offer.rules.js';
import type { AskedFor } from './question.rules.js';
import { rankQuotes } from './ranking.rules.js';
import {
  expectedReceive,
  expectedRecord,
  type QuoteReputation,
  type TypicalRecord,
  worthOf,
} from './worth.rules.js';

/** The result of asking one anchor, and when it was asked. */
export interface Reply {
  anchorId: string;
  anchorName: string;
  simulated: boolean;
  result: QuoteResult;
  /** When it replied, in epoch milliseconds. */
  at: number;
  /** The quote before a reply without one. */
  lastQuote?: Quoted;
}

export type Quoted = Reply & { result: { offer: Offer } };

/** The quote in a reply, with the anchor's record added; undefined if the reply holds a reason. */
function toQuote(
  corridor: Corridor,
  reply: Reply,
  context: { reputation: QuoteReputation; typical: TypicalRecord; market: MidMarket; band: Band },
): RateQuote | undefined {
  if ('reason' in reply.result) return undefined;
  const { offer } = reply.result;
  const { reputation, typical, market, band } = context;
  const { speedTargetSeconds, payoutDecimals: decimals } = corridor;
  const record = expectedRecord(reputation, typical);
  const expected = expectedReceive(offer.receiveAmount, record, decimals);
  return {
    anchorId: reply.anchorId,
    anchorName: reply.anchorName,
    simulated: reply.simulated,
    ...offer,
    quotedAt: new Date(reply.at).toISOString(),
    reputation,
    ...costOf(offer, market),
    expectedReceive: expected,
    unranked: outsideBand(offer.rate, band),
    worth: worthOf(expected, record, { speedTargetSeconds, decimals }),
  };
}

export type RepliesResult = 'quotes' | 'nobody_serves' | 'all_refused' | 'nobody_answers';

/**
 * The outcome of all replies together. `nobody_serves`: no anchor offers this delivery method or publishes a price;
 * `all_refused`: every anchor that does so refuses the amount; `nobody_answers`: some should have a quote but gave none.
 */
export function judgeReplies(replies: readonly Reply[]): RepliesResult {
  const reasons = replies.flatMap(({ result }) => ('reason' in result ? [result.reason] : []));
  if (reasons.length < replies.length) return 'quotes';
  if (reasons.every((reason) => reason === 'not_served')) return 'nobody_serves';
  const refused = reasons.every((reason) => reason === 'not_served' || reason === 'refused_amount');
  return refused ? 'all_refused' : 'nobody_answers';
}

/** The temporary reasons. All others last until the anchor or the operator changes something. */
const passingReasons: readonly UnavailableReason[] = [
  'timeout',
  'unreachable',
  'malformed',
  'busy',
  'circuit_open',
  'error',
];

/** Whether a later request may return a quote, given the reasons why there is none now. */
export function waitingHelps(
  reasons: readonly UnavailableReason[],
  /** Whether an FX reference is configured, which may recover. */
  { hasFx }: { hasFx: boolean },
): boolean {
  return reasons.some((reason) => passingReasons.includes(reason) || (hasFx && reason === 'no_fx'));
}

/** The anchors that have no quote, and why. */
export function unavailableOf(replies: readonly Reply[]): { anchorId: string; reason: UnavailableReason }[] {
  return replies.flatMap(({ anchorId, result }) =>
    'reason' in result ? [{ anchorId, reason: result.reason }] : [],
  );
}

/** The anchor's own price in a reply, all fees in; an estimate is not one. */
export function ownPriceIn(reply: Reply | undefined): string | undefined {
  if (reply === undefined || 'reason' in reply.result) return undefined;
  const { offer } = reply.result;
  return offer.tier === 'anchor' ? offer.rate : undefined;
}

/** The answer built from the replies: the sorted quotes, and the reasons of the other anchors, ordered by anchor id. */
export function assembleAnswer(
  corridor: Corridor,
  asked: AskedFor,
  replies: readonly Reply[],
  context: {
    reputationOf: (anchorId: string) => QuoteReputation;
    typical: TypicalRecord;
    market: MidMarket;
    band: Band;
    sort: QuoteSort;
    asOf: number;
    stale: boolean;
  },
): RatesAnswer {
  const { reputationOf, typical, market, band, sort } = context;
  const ranked = rankQuotes(
    replies.flatMap((reply) => {
      const reputation = reputationOf(reply.anchorId);
      return toQuote(corridor, reply, { reputation, typical, market, band }) ?? [];
    }),
  );
  // The best one is the same in every order of the list.
  const best = ranked.find(({ unranked }) => unranked === null);
  return {
    corridor: corridor.id,
    sellAsset: corridor.sellAsset,
    buyAsset: corridor.buyAsset,
    amount: asked.amount ?? best?.sellAmount ?? '0',
    receive: asked.receive === undefined ? null : fiatAmount(asked.receive, corridor.payoutDecimals),
    asOf: new Date(context.asOf).toISOString(),
    stale: context.stale,
    best: best === undefined ? null : { anchorId: best.anchorId },
    typical,
    band,
    quotes: rankQuotes(ranked, sort),
    unavailable: unavailableOf(replies),
  };
}
