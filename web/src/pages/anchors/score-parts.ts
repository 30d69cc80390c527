import type { CardWithSigns } from '@fairlead/contract/client';

const z = 1.959963984540054;

/**
 * The 95 % interval of a share that was seen `hits` times in `count` (Wilson 1927), to draw it. Its lower bound is W of
 * the score (docs/reputation.md), whose digits the service computes exactly; null where nothing was seen.
 */
export function wilsonInterval(hits: number, count: number): { low: number; high: number } | null {
  if (count <= 0) return null;
  const middle = (hits + (z * z) / 2) / (count + z * z);
  const reach = (z * Math.sqrt((hits * (count - hits)) / count + (z * z) / 4)) / (count + z * z);
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}

/** What of a card its score is made of (docs/reputation.md). */
export type PartInputs = Pick<
  CardWithSigns,
  'outcomes' | 'filled' | 'meanShortfall' | 'p50SettleSeconds' | 'speedTargetSeconds' | 'score'
>;

/** The points that each factor takes from the hundred; the rest is the score. */
export interface ScoreParts {
  /** Outcomes that were not paid out. */
  failures: number;
  /** Points between the observed share and the lower bound of its interval. */
  doubt: number;
  shortfall: number;
  time: number;
}

export const partNames = ['failures', 'doubt', 'shortfall', 'time'] as const satisfies (keyof ScoreParts)[];

/**
 * The points that each factor of the formula takes from the hundred, in the formula's order, to draw them; null where
 * there is no score. An input that is null takes nothing.
 */
export function scoreParts(card: PartInputs): ScoreParts | null {
  const paid = wilsonInterval(card.filled, card.outcomes);
  if (card.score === null || paid === null) return null;
  const surePaid = paid.low;
  const observed = card.filled / card.outcomes;
  const kept = Math.max(0, 1 - 10 * Number(card.meanShortfall ?? 0));
  const speed = 2 ** (-(card.p50SettleSeconds ?? 0) / card.speedTargetSeconds);
  return {
    failures: 100 * (1 - observed),
    doubt: 100 * (observed - surePaid),
    shortfall: 100 * surePaid * (1 - kept),
    time: 100 * surePaid * kept * (1 - speed),
  };
}

/** The parts of a score over several corridors: the mean of the scored ones, weighted by outcomes as the score is. */
export function meanParts(cards: readonly PartInputs[]): ScoreParts | null {
  const scored = cards.flatMap((card) => {
    const parts = scoreParts(card);
    return parts === null ? [] : [{ parts, outcomes: card.outcomes }];
  });
  if (scored.length === 0) return null;
  const outcomes = scored.reduce((sum, card) => sum + card.outcomes, 0);
  const mean = (name: keyof ScoreParts) =>
    scored.reduce((sum, card) => sum + card.parts[name] * card.outcomes, 0) / outcomes;
  return Object.fromEntries(partNames.map((name) => [name, mean(name)])) as unknown as ScoreParts;
}

/** The parts in hundredths of a point, so that they and the score add up to a hundred as they are shown. */
export function wholeHundred(score: string, parts: ScoreParts): ScoreParts {
  const left = Math.round((100 - Number(score)) * 100);
  const sum = partNames.reduce((all, name) => all + parts[name], 0) || 1;
  const exact = partNames.map((name) => ({ name, value: (parts[name] / sum) * left }));
  const missing = left - exact.reduce((all, { value }) => all + Math.floor(value), 0);
  // The hundredths that rounding down left over go to those that it took most from.
  const first = exact.toSorted((a, b) => (b.value % 1) - (a.value % 1)).slice(0, missing);
  return Object.fromEntries(
    exact.map((each) => [each.name, (Math.floor(each.value) + Number(first.includes(each))) / 100]),
  ) as unknown as ScoreParts;
}
