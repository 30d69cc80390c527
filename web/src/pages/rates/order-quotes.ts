import type { RateQuote } from '@fairlead/contract/client';
import { compareDecimals, compareShares } from '../../figures/decimal.js';

export const sorts = ['best', 'receive', 'score', 'speed'] as const;
export type Sort = (typeof sorts)[number];

export type Ordered = Pick<RateQuote, 'tier' | 'adjusted' | 'receiveAmount' | 'sellAmount' | 'unranked'> & {
  reputation: Pick<RateQuote['reputation'], 'score' | 'state' | 'p50SettleSeconds' | 'p95SettleSeconds'>;
};
type Comparison = (a: Ordered, b: Ordered) => number;

const byPromise: Comparison = (a, b) =>
  Number(a.tier !== 'anchor') - Number(b.tier !== 'anchor') || Number(a.adjusted) - Number(b.adjusted);

const byState: Comparison = (a, b) =>
  Number(a.reputation.state !== 'scored') - Number(b.reputation.state !== 'scored');

const seconds = (time: number | null) => time ?? Number.MAX_SAFE_INTEGER;

const comparisons: Readonly<Record<Sort, Comparison>> = {
  best: () => 0,
  receive: (a, b) =>
    byPromise(a, b) ||
    compareShares(
      { amount: b.receiveAmount, per: b.sellAmount },
      { amount: a.receiveAmount, per: a.sellAmount },
    ),
  score: (a, b) => byState(a, b) || compareDecimals(b.reputation.score ?? '-1', a.reputation.score ?? '-1'),
  speed: (a, b) =>
    byState(a, b) ||
    seconds(a.reputation.p50SettleSeconds) - seconds(b.reputation.p50SettleSeconds) ||
    seconds(a.reputation.p95SettleSeconds) - seconds(b.reputation.p95SettleSeconds),
};

/**
 * The order that `sort` of the API gives (docs/rates.md), from quotes in the order `best`, which decides among equals. A
 * reader changes the order without asking the service, whose live answers all come in the order `best`.
 */
export function orderQuotes<T extends Ordered>(quotes: readonly T[], sort: Sort): T[] {
  return [...quotes].sort(
    (a, b) => Number(a.unranked !== null) - Number(b.unranked !== null) || comparisons[sort](a, b),
  );
}
