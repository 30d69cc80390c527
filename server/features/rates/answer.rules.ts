import type {
  RateQuote,
  RatesAnswer,
  ReputationState,
  UnavailableReason,
} from '../../../contract/schemas/rates.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import { expectedReceive } from './expected-receive.rules.js';
import { Money } from './money.rules.js';
import type { Offer } from './quote.rules.js';

/** An anchor's record in a corridor, as quotes show and use it. */
export interface QuoteReputation {
  score: string | null;
  state: ReputationState;
  outcomes: number;
  /** Mean share by which payouts fell short of the anchor's quotes, `0.0012`; null without any. */
  meanShortfall: string | null;
}

/** The result of asking one anchor: an offer, or the reason why there is none. */
export type QuoteResult = { offer: Offer } | { reason: UnavailableReason };

/** The result of asking one anchor, and when it was asked. */
export interface Reply {
  anchorId: string;
  anchorName: string;
  simulated: boolean;
  result: QuoteResult;
  /** When it replied, in epoch milliseconds. */
  at: number;
}

/** The quote in a reply, with the anchor's record added; undefined if the reply holds a reason. */
export function toQuote(
  corridor: Corridor,
  reply: Reply,
  reputation: QuoteReputation,
): RateQuote | undefined {
  if ('reason' in reply.result) return undefined;
  const { offer } = reply.result;
  const { score, state, outcomes, meanShortfall } = reputation;
  return {
    anchorId: reply.anchorId,
    anchorName: reply.anchorName,
    simulated: reply.simulated,
    ...offer,
    quotedAt: new Date(reply.at).toISOString(),
    reputation: { score, state, outcomes },
    expectedReceive: expectedReceive(offer.receiveAmount, meanShortfall, corridor.payoutDecimals),
  };
}

export type RepliesResult = 'quotes' | 'nobody_serves' | 'all_refused' | 'nobody_answers';

/**
 * The outcome of all replies together. `nobody_serves`: no anchor offers this delivery method or publishes a price;
 * `all_refused`: all anchors that do refuse the amount; `nobody_answers`: some should have a quote but gave none.
 */
export function judgeReplies(replies: readonly Reply[]): RepliesResult {
  const reasons = replies.flatMap(({ result }) => ('reason' in result ? [result.reason] : []));
  if (reasons.length < replies.length) return 'quotes';
  if (reasons.every((reason) => reason === 'not_served')) return 'nobody_serves';
  const refused = reasons.every((reason) => reason === 'not_served' || reason === 'refused_amount');
  return refused ? 'all_refused' : 'nobody_answers';
}

/** The reasons that pass by themselves. Those that are left last until the anchor or the operator changes something. */
const passingReasons: readonly UnavailableReason[] = [
  'timeout',
  'unreachable',
  'malformed',
  'busy',
  'circuit_open',
  'error',
];

/** Whether asking again later may give a quote where there is none for these reasons. */
export function waitingHelps(
  reasons: readonly UnavailableReason[],
  /** There is an FX reference, which may recover. */
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

/** The answer built from the replies: the ranked quotes, and the reasons of the other anchors, ordered by anchor id. */
export function assembleAnswer(
  corridor: Corridor,
  amount: string,
  replies: readonly Reply[],
  context: { reputationOf: (anchorId: string) => QuoteReputation; asOf: number; stale: boolean },
): RatesAnswer {
  const quotes = rankQuotes(
    replies.flatMap((reply) => toQuote(corridor, reply, context.reputationOf(reply.anchorId)) ?? []),
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
    unavailable: unavailableOf(replies),
  };
}

type Ranked = Pick<RateQuote, 'anchorId' | 'tier' | 'adjusted' | 'receiveAmount' | 'sellAmount'>;

/**
 * A total order, best first: the anchors' own prices before estimates, exact amounts before adjusted ones, then by the
 * amount received per unit sold (recomputed from the amounts), then by anchor id.
 */
export function compareQuotes(a: Ranked, b: Ranked): number {
  if (a.tier !== b.tier) return a.tier === 'anchor' ? -1 : 1;
  if (a.adjusted !== b.adjusted) return a.adjusted ? 1 : -1;
  // a.receive / a.sell against b.receive / b.sell, multiplied out so that nothing is rounded.
  const left = new Money(a.receiveAmount).mul(b.sellAmount);
  const right = new Money(b.receiveAmount).mul(a.sellAmount);
  const byRate = right.cmp(left);
  if (byRate !== 0) return byRate;
  return a.anchorId < b.anchorId ? -1 : a.anchorId > b.anchorId ? 1 : 0;
}

export function rankQuotes<T extends Ranked>(quotes: readonly T[]): T[] {
  return [...quotes].sort(compareQuotes);
}
