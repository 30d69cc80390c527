import { afterAll, describe, expect, it } from '@jest/globals';
import { verifyBatch, verifyEntry } from '../../../contract/verification/verify-batch.js';
import { firstState } from '../../../server/features/publisher/health.rules.js';
import { createBatchLog } from '../../../server/features/publisher/log.js';
import { createBatchStore } from '../../../server/features/publisher/store.js';
import { writeCursor } from '../../../server/paging.js';
import { allEntries, cardsOf, publisherInstance } from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
/** One entry, whole trees, and trees whose last node is carried up. */
const sizes = [1, 256, 257, 512, 600, 767];

const instance = await publisherInstance({ uri: database.uri, oracleUrl: undefined });
for (const size of sizes) {
  instance.setCards(cardsOf(size));
  await instance.tick();
}
afterAll(() => instance.close());

const cursorTo = (sequence: number, start: number) => writeCursor(['entries', String(sequence)], [start]);

describe('the entries of a batch', () => {
  it.each(sizes.map((size, index) => [size, index + 1]))(
    'are returned in pages as they were hashed: %i entries',
    async (size, sequence) => {
      expect(await allEntries(instance.publisher, sequence)).toEqual(cardsOf(size));
    },
  );

  it('are refused for an unknown batch or past the end', async () => {
    const { log } = instance.publisher;
    await expect(log.entries(99, { limit: '1', cursor: undefined })).rejects.toMatchObject({
      code: 'UNKNOWN_BATCH',
    });
    const entries = (sequence: number, cursor: string) => log.entries(sequence, { limit: '1', cursor });
    await expect(entries(1, cursorTo(1, 1))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(entries(2, cursorTo(3, 1))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await entries(2, cursorTo(2, 1))).start).toBe(1);
  });
});

describe('a proof', () => {
  it.each(sizes.map((size, index) => [size, index + 1]))(
    'verifies for the first, the last and other entries of %i',
    async (size, sequence) => {
      const { keys } = await instance.publisher.health();
      const cards = cardsOf(size);
      for (const index of new Set([0, 1, 255, 256, 257, 511, 512, size - 2, size - 1])) {
        const card = cards[index];
        if (card === undefined) continue;
        const place = { anchor: card.anchorId, corridor: card.corridor };
        const { batch, ...proof } = await instance.publisher.log.prove(sequence, place);
        expect(proof).toMatchObject({ entry: card, index, size });
        expect(verifyBatch({ ...batch, keys })).toMatchObject({ ok: true });
        expect(verifyEntry({ ...proof, header: batch.header })).toBe(true);
        expect(verifyEntry({ ...proof, entry: { ...card, score: '100.00' }, header: batch.header })).toBe(
          false,
        );
      }
    },
  );
});

describe('the public scores', () => {
  it('are the entries of the latest batch, and those of the batch that a cursor goes on with', async () => {
    const { scores } = instance.publisher.log;
    const first = await scores({ limit: '2' });
    const latest = cardsOf(767);
    expect(first).toMatchObject({ batch: { sequence: 6 }, items: latest.slice(0, 2) });
    instance.setCards(cardsOf(3, 60));
    await instance.tick();
    const rest = await scores({ limit: '100', cursor: first.nextCursor ?? undefined });
    expect(rest).toMatchObject({ batch: { sequence: 6 }, items: latest.slice(2, 102) });
    expect(await scores({})).toMatchObject({ batch: { sequence: 7 }, nextCursor: null });
  });

  const [early, late] = [new Date('2026-11-20T00:00:00.000Z'), new Date('2026-11-21T00:00:00.000Z')];
  it.each([
    ['neither', true, null, null, null],
    ['the cards', true, early, null, early],
    ['the log', true, null, late, late],
    ['both, the cards first', true, early, late, early],
    ['both, the log first', true, late, early, early],
    ['the log, of which nothing is shown', false, null, early, null],
  ])('say since when they stand still: %s', async (_which, isPublished, cards, held, expected) => {
    const { scores } = createBatchLog({
      batches: createBatchStore(instance.connection),
      ticks: { read: async () => ({ ...firstState, heldSince: held }), save: async () => {} },
      publishes: isPublished,
      publishedCards: async () => ({ cards: [], computedAt: late, standsStillSince: cards }),
      isKnownAnchor: async () => true,
      isServedCorridor: () => true,
      clock: Date.now,
    });
    expect((await scores({})).standsStillSince).toBe(expected?.toISOString() ?? null);
  });
});
