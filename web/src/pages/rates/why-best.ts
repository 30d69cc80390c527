import type { RateQuote, RatesAnswer } from '@fairlead/contract/client';
import { shortName } from '../../figures/anchor-name.js';
import { compareShares, subtractDecimals } from '../../figures/decimal.js';
import { orderQuotes } from './order-quotes.js';

/** Why the best offer is the best: the name of a sentence, and what it tells of the offer that promises most. */
export type WhyBest =
  | { why: 'whyOnly' | 'whyAlsoMost' | 'whyAlsoLeast' | 'whyOrder' }
  | { why: 'whyRecord'; anchor: string }
  | { why: 'whyWorthMore'; anchor: string; more: string; less: string };

export function whyBest(answer: Pick<RatesAnswer, 'quotes' | 'receive'>, best: RateQuote): WhyBest {
  const ranked = orderQuotes(answer.quotes, 'receive').filter(({ unranked }) => unranked === null);
  const most = ranked[0];
  if (most === undefined || ranked.length === 1) return { why: 'whyOnly' };
  if (most.anchorId === best.anchorId) {
    // Estimates and quotes for other amounts come after the anchors' own prices, whatever they promise.
    if (ranked.some((other) => compareShares(rateOf(other), rateOf(best)) > 0)) return { why: 'whyOrder' };
    return { why: answer.receive === null ? 'whyAlsoMost' : 'whyAlsoLeast' };
  }
  const anchor = shortName(most);
  if (most.sellAmount !== best.sellAmount) return { why: 'whyRecord', anchor };
  return {
    why: 'whyWorthMore',
    anchor,
    more: subtractDecimals(most.receiveAmount, best.receiveAmount),
    less: subtractDecimals(best.worth, most.worth),
  };
}

function rateOf({ receiveAmount, sellAmount }: RateQuote) {
  return { amount: receiveAmount, per: sellAmount };
}
