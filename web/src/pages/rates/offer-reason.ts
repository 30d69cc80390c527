import type { RateQuote, RatesAnswer } from '@fairlead/contract/client';
import { codeOf } from '../../data/corridors.js';
import { shortName } from '../../figures/anchor-name.js';
import { compareShares, subtractDecimals } from '../../figures/decimal.js';
import { orderQuotes } from './order-quotes.js';

/** The codes that the amounts of an answer are in. */
export function codesOf({ sellAsset, buyAsset }: Pick<RatesAnswer, 'sellAsset' | 'buyAsset'>) {
  return { stablecoin: codeOf(sellAsset), currency: codeOf(buyAsset) };
}

/** Why the first offer is the first: what it tells of the one that promises most, where that is another. */
interface First {
  kind: 'first';
  why: 'only' | 'alsoMost' | 'order' | 'record' | 'worthMore';
  other?: string;
  /** By how much the first is worth more than the other, and how much more the other promises. */
  better?: string;
  more?: string;
}

export type Cause = 'estimate' | 'adjusted' | 'new' | 'fails' | 'slow' | 'short' | 'less';

/** What of another offer puts it behind the first, most of all. */
interface Behind {
  kind: 'behind';
  cause: Cause;
  /** Whether it promises the most of all. */
  isMost: boolean;
  /** How much less than the first it promises. */
  less: string;
  /** By how much it is worth less; undefined where the two are for different amounts. */
  behind: string | undefined;
}

export function reasonOf(
  quote: RateQuote,
  answer: Pick<RatesAnswer, 'quotes' | 'best'>,
  targetSeconds: number,
): First | Behind {
  const best = answer.quotes.find(({ anchorId }) => anchorId === answer.best?.anchorId) ?? quote;
  const ranked = answer.quotes.filter(({ unranked }) => unranked === null);
  const most = orderQuotes(ranked, 'receive')[0] ?? quote;
  if (quote.anchorId === best.anchorId) return whyFirst(quote, ranked, most);
  const isSameAmount = quote.sellAmount === best.sellAmount;
  return {
    kind: 'behind',
    cause: causeOf(quote, best, targetSeconds),
    isMost: most.anchorId === quote.anchorId,
    less: subtractDecimals(best.receiveAmount, quote.receiveAmount),
    behind: isSameAmount ? subtractDecimals(best.worth, quote.worth) : undefined,
  };
}

function whyFirst(best: RateQuote, ranked: readonly RateQuote[], most: RateQuote): First {
  if (ranked.length < 2) return { kind: 'first', why: 'only' };
  if (most.anchorId === best.anchorId) {
    // Estimates and quotes for other amounts come after the anchors' own prices, whatever they promise.
    const isBeaten = ranked.some((other) => compareShares(rateOf(other), rateOf(best)) > 0);
    return { kind: 'first', why: isBeaten ? 'order' : 'alsoMost' };
  }
  if (most.sellAmount !== best.sellAmount) return { kind: 'first', why: 'record', other: shortName(most) };
  return {
    kind: 'first',
    why: 'worthMore',
    other: shortName(most),
    better: subtractDecimals(best.worth, most.worth),
    more: subtractDecimals(most.receiveAmount, best.receiveAmount),
  };
}

/** An anchor with fewer outcomes is judged by its corridor's typical one for the rest. */
const wholeRecord = 30;

/** The part of the formula of `worth` (docs/rates.md) that takes most from this offer, compared with the first. */
function causeOf(quote: RateQuote, best: RateQuote, targetSeconds: number): Cause {
  if (quote.tier !== best.tier) return 'estimate';
  if (quote.adjusted && !best.adjusted) return 'adjusted';
  if (quote.reputation.outcomes < wholeRecord) return 'new';
  const [own, first] = [quote, best].map(({ receiveAmount, sellAmount, reputation }) => {
    const seconds = reputation.p50SettleSeconds ?? 0;
    return {
      fails: 0.2 * (1 - Number(reputation.fillRate ?? 1)),
      slow: (0.04 * seconds) / (seconds + targetSeconds),
      short: Number(reputation.meanShortfall ?? 0),
      less: -Number(receiveAmount) / Number(sellAmount),
    };
  }) as [Losses, Losses];
  const lost = (name: keyof Losses) =>
    name === 'less' ? (own.less - first.less) / -first.less : own[name] - first[name];
  return (['fails', 'slow', 'short', 'less'] as const).toSorted((a, b) => lost(b) - lost(a))[0] ?? 'less';
}

type Losses = Record<'fails' | 'slow' | 'short' | 'less', number>;

function rateOf({ receiveAmount, sellAmount }: RateQuote) {
  return { amount: receiveAmount, per: sellAmount };
}
