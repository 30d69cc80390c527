import type { RateQuote, RatesAnswer, UnavailableReason } from '../../../contract/schemas/rates.js';
import { fiatAmount } from '../../amounts.rules.js';
import { type Band, costOf, type MidMarket, outsideBand } from './mid-market.rules.js';
import type { Offer, QuoteResult } from './offer.rules.js';
import type { Question } from './question.rules.js';
import { rankQuotes } from './ranking.rules.js';
import {
  expectedReceive,
  expectedRecord,
  type QuoteReputation,
  type TypicalRecord,
  worthOf,
} from './worth.rules.js';

/** How long a quote is fresh. */
export const freshMs = 15_000;
/** How long it is served while another one is asked for. */
export const staleMs = 60_000;

/**
 * How long an anchor is not asked again after a reply without a quote. What the anchor or the operator has decided lasts as
 * long as a quote; everything else passes.
 */
export const reasonFreshMs: Readonly<Record<UnavailableReason, number>> = {
  refused_amount: freshMs,
  receive_unsupported: freshMs,
  not_served: freshMs,
  unauthorized: freshMs,
  blocked: freshMs,
  timeout: 5_000,
  unreachable: 5_000,
  malformed: 5_000,
  error: 5_000,
  no_fx: 5_000,
  busy: 1_000,
  circuit_open: 1_000,
};

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

export function isQuoted(reply: Reply): reply is Quoted {
  return 'offer' in reply.result;
}

/** Whether our calls to the anchor are used up, or it asked for a pause. */
export function isBusy({ result }: Reply): boolean {
  return 'reason' in result && result.reason === 'busy';
}

/** The anchor's last quote in place of a reply without one, where it is less than a minute old. */
export function orLastQuote(reply: Reply, nowMs: number): Reply {
  const { lastQuote } = reply;
  const ageMs = lastQuote === undefined ? staleMs : nowMs - lastQuote.at;
  return lastQuote !== undefined && ageMs >= 0 && ageMs < staleMs ? lastQuote : reply;
}

/** The last quote of an anchor stands in while our calls to it are used up, and that of each while none answers. */
export function withLastQuotes(received: readonly Reply[], nowMs: number): Reply[] {
  const shown = received.map((reply) => (isBusy(reply) ? orLastQuote(reply, nowMs) : reply));
  return judgeReplies(shown) === 'nobody_answers' ? shown.map((reply) => orLastQuote(reply, nowMs)) : shown;
}

/**
 * The outcome of all replies together. `nobody_serves`: no anchor offers this delivery method or publishes a price;
 * `all_refused`: every anchor that does so refuses the amount; `nobody_answers`: some should have a quote but gave none.
 */
export function judgeReplies(
  replies: readonly Reply[],
): 'quotes' | 'nobody_serves' | 'all_refused' | 'nobody_answers' {
  const reasons = replies.flatMap(({ result }) => ('reason' in result ? [result.reason] : []));
  if (reasons.length < replies.length) return 'quotes';
  if (reasons.every((reason) => reason === 'not_served')) return 'nobody_serves';
  const refused = reasons.every((reason) => reason === 'not_served' || reason === 'refused_amount');
  return refused ? 'all_refused' : 'nobody_answers';
}

/** Whether a later request may return a quote, given the reasons why there is none now. */
export function waitingHelps(
  reasons: readonly UnavailableReason[],
  /** Whether an FX reference is configured, which may recover. */
  { hasFx }: { hasFx: boolean },
): boolean {
  return reasons.some((reason) => reasonFreshMs[reason] < freshMs && (hasFx || reason !== 'no_fx'));
}

/** The anchors that have no quote, and why. */
export function unavailableOf(replies: readonly Reply[]): { anchorId: string; reason: UnavailableReason }[] {
  return replies.flatMap(({ anchorId, result }) =>
    'reason' in result ? [{ anchorId, reason: result.reason }] : [],
  );
}

/** The anchor's own price in a reply, all fees in; an estimate is not one. */
export function ownPriceIn(reply: Reply | undefined): string | undefined {
  return reply !== undefined && isQuoted(reply) && reply.result.offer.tier === 'anchor'
    ? reply.result.offer.rate
    : undefined;
}

/** The answer built from the replies: the sorted quotes, and the reasons of the other anchors, ordered by anchor id. */
export function assembleAnswer(
  { corridor, asked, sort }: Pick<Question, 'corridor' | 'asked' | 'sort'>,
  replies: readonly Reply[],
  context: {
    reputationOf: (anchorId: string) => QuoteReputation;
    typical: TypicalRecord;
    market: MidMarket;
    band: Band;
    asOf: number;
    stale: boolean;
  },
): RatesAnswer {
  const { typical, market, band } = context;
  const { speedTargetSeconds, payoutDecimals: decimals } = corridor;
  const quotes = replies
    .filter(isQuoted)
    .map(({ anchorId, anchorName, simulated, at, result }): RateQuote => {
      const { offer } = result;
      const reputation = context.reputationOf(anchorId);
      const record = expectedRecord(reputation, typical);
      const expected = expectedReceive(offer.receiveAmount, record, decimals);
      return {
        anchorId,
        anchorName,
        simulated,
        ...offer,
        quotedAt: new Date(at).toISOString(),
        reputation,
        ...costOf(offer, market),
        expectedReceive: expected,
        unranked: outsideBand(offer.rate, band),
        worth: worthOf(expected, record, { speedTargetSeconds, decimals }),
      };
    });
  // The best one is the same in every order of the list.
  const best = rankQuotes(quotes).find(({ unranked }) => unranked === null);
  return {
    corridor: corridor.id,
    sellAsset: corridor.sellAsset,
    buyAsset: corridor.buyAsset,
    amount: asked.amount ?? best?.sellAmount ?? '0',
    receive: asked.receive === undefined ? null : fiatAmount(asked.receive, decimals),
    asOf: new Date(context.asOf).toISOString(),
    stale: context.stale,
    best: best === undefined ? null : { anchorId: best.anchorId },
    typical,
    band,
    quotes: rankQuotes(quotes, sort),
    unavailable: unavailableOf(replies),
  };
}
