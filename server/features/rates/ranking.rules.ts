import type { QuoteSort, RateQuote } from '../../../contract/schemas/rates.js';
import { Money } from './offer.rules.js';

/** The members by which quotes are ordered. */
export type Ranked = Pick<
  RateQuote,
  'anchorId' | 'tier' | 'adjusted' | 'receiveAmount' | 'sellAmount' | 'expectedReceive' | 'worth' | 'unranked'
> & {
  reputation: Pick<RateQuote['reputation'], 'score' | 'state' | 'p50SettleSeconds' | 'p95SettleSeconds'>;
};

/** Returns a number below zero if `a` comes first. */
type Comparison = (a: Ranked, b: Ranked) => number;

/** Quotes outside the band come last in every order: an offer far from all others must not win by price, score or speed. */
const byBand: Comparison = (a, b) => Number(a.unranked !== null) - Number(b.unranked !== null);

/**
 * The anchors' own prices before estimates, exact amounts before adjusted ones: an estimate is nobody's promise, and an
 * adjusted amount is not what the person asked to sell.
 */
const byPromise: Comparison = (a, b) => {
  if (a.tier !== b.tier) return a.tier === 'anchor' ? -1 : 1;
  if (a.adjusted !== b.adjusted) return a.adjusted ? 1 : -1;
  return 0;
};

const byAnchorId: Comparison = (a, b) => (a.anchorId < b.anchorId ? -1 : a.anchorId > b.anchorId ? 1 : 0);

/** Anchors with too few outcomes to be judged come last: two quick payouts are not yet a quick anchor. */
const byState: Comparison = (a, b) =>
  Number(a.reputation.state !== 'scored') - Number(b.reputation.state !== 'scored');

const best = inTurn(
  byPromise,
  moreForEachUnit(({ worth }) => worth),
  moreForEachUnit(({ expectedReceive }) => expectedReceive),
  byAnchorId,
);

/** Each is a total order, so an answer does not depend on which anchor replied first. */
const orders: Readonly<Record<QuoteSort, Comparison>> = {
  best,
  receive: inTurn(
    byPromise,
    moreForEachUnit(({ receiveAmount }) => receiveAmount),
    best,
  ),
  score: inTurn(byState, (a, b) => new Money(b.reputation.score ?? -1).cmp(a.reputation.score ?? -1), best),
  speed: inTurn(
    byState,
    fewerSeconds(({ p50SettleSeconds }) => p50SettleSeconds),
    fewerSeconds(({ p95SettleSeconds }) => p95SettleSeconds),
    best,
  ),
};

export function compareQuotes(a: Ranked, b: Ranked, sort: QuoteSort = 'best'): number {
  return inTurn(byBand, orders[sort])(a, b);
}

export function rankQuotes<T extends Ranked>(quotes: readonly T[], sort: QuoteSort = 'best'): T[] {
  return [...quotes].sort((a, b) => compareQuotes(a, b, sort));
}

function inTurn(...comparisons: readonly Comparison[]): Comparison {
  return (a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** Compares a.amount / a.sell with b.amount / b.sell, multiplied out so that nothing is rounded. */
function moreForEachUnit(amountOf: (quote: Ranked) => string): Comparison {
  return (a, b) => {
    const left = new Money(amountOf(a)).mul(b.sellAmount);
    const right = new Money(amountOf(b)).mul(a.sellAmount);
    return right.cmp(left);
  };
}

/** An unknown time comes after every known one. */
function fewerSeconds(secondsOf: (reputation: Ranked['reputation']) => number | null): Comparison {
  return (a, b) => {
    const left = secondsOf(a.reputation) ?? Number.MAX_SAFE_INTEGER;
    const right = secondsOf(b.reputation) ?? Number.MAX_SAFE_INTEGER;
    return left - right;
  };
}
