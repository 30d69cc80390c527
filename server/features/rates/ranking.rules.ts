import type { RateQuote } from '../../../contract/schemas/rates.js';
import { Money } from './money.rules.js';

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
