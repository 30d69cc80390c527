import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  meanParts,
  type PartInputs,
  type ScoreParts,
  scoreParts,
  wholeHundred,
  wilsonInterval,
} from '../../web/src/pages/anchors/score-parts.js';

/** The cards in the vectors of the formula, parsed from their bytes. */
const vectors = JSON.parse(readFileSync(new URL('../vectors/score-cards.json', import.meta.url), 'utf8')) as {
  cards: { name: string; bytes: string }[];
};
const cards = vectors.cards.map(({ name, bytes }) => ({ name, card: JSON.parse(bytes) as PartInputs }));
const scored = cards.filter(({ card }) => card.score !== null);
const unscored = cards.filter(({ card }) => card.score === null);

const sumOf = (parts: ScoreParts) => Object.values(parts).reduce((sum, points) => sum + points, 0);

describe('the parts of a score', () => {
  it.each(scored)('and the score are a hundred points: $name', ({ card }) => {
    const parts = scoreParts(card);
    const rest = 100 - sumOf(parts as ScoreParts);
    // Published scores are rounded down to two places.
    expect(rest - Number(card.score)).toBeGreaterThan(-1e-9);
    expect(rest - Number(card.score)).toBeLessThan(0.01);
    // As they are shown, to two places, they are a hundred exactly.
    const shown = wholeHundred(card.score ?? '0', parts as ScoreParts);
    const hundredths = [card.score ?? '0', ...Object.values(shown)].map((each) =>
      Math.round(Number(each) * 100),
    );
    expect(hundredths.reduce((sum, each) => sum + each, 0)).toBe(10_000);
    expect(Math.min(...hundredths)).toBeGreaterThanOrEqual(0);
  });

  it('counts as W what the worked example of docs/reputation.md does, and nothing without outcomes', () => {
    expect(wilsonInterval(401, 412)?.low).toBeCloseTo(0.9528298995, 9);
    expect(wilsonInterval(0, 12)?.low).toBeCloseTo(0, 12);
    expect(wilsonInterval(0, 0)).toBeNull();
  });

  it.each(unscored)('are none without a score: $name', ({ card }) => {
    expect(scoreParts(card)).toBeNull();
  });

  it('over corridors weigh by outcomes, and leave out corridors without a score', () => {
    const [first, second] = scored.map(({ card }) => card) as [PartInputs, PartInputs];
    const [one, two] = [scoreParts(first), scoreParts(second)] as [ScoreParts, ScoreParts];
    const without = unscored.map(({ card }) => card);
    const mean = meanParts([first, second, ...without]);
    const weighted =
      (one.time * first.outcomes + two.time * second.outcomes) / (first.outcomes + second.outcomes);
    expect(mean?.time).toBeCloseTo(weighted, 9);
    expect(meanParts(without)).toBeNull();
  });
});
