import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  meanParts,
  type PartInputs,
  type ScoreParts,
  scoreParts,
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
