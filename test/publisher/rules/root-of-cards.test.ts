import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { gatherBatch, rootOfCards } from '../../../server/features/publisher/batch-writer.js';
import { cardsOf } from '../../fixtures/publisher/publisher.js';

async function* oneByOne(cards: readonly ScoreCard[]): AsyncGenerator<ScoreCard> {
  for (const card of cards) {
    await nextTurn();
    yield card;
  }
}

it.each([0, 1, 255, 256, 257, 700])(
  'rootOfCards gives the root that a batch of %i cards is published with',
  async (count) => {
    const { signal } = new AbortController();
    const byPlace = (card: ScoreCard) => `${card.anchorId} ${card.corridor}`;
    const cards = cardsOf(count).sort((a, b) => (byPlace(a) < byPlace(b) ? -1 : 1));
    const { root } = await gatherBatch(oneByOne(cards), signal);
    expect(await rootOfCards(oneByOne(cards))).toBe(root);
  },
);
