import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchPage } from '../../../contract/schemas/publisher.js';
import { verifyBatch, verifyEntry } from '../../../contract/verification/verify-batch.js';
import { writeCursor } from '../../../server/paging.js';
import {
  allEntries,
  cardsOf,
  type PublisherInstance,
  publisherInstance,
} from '../../fixtures/publisher/publisher.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
/** One entry, whole trees, and trees whose last node is carried up. */
const sizes = [1, 256, 257, 512, 600, 767];
const batches = sizes.length;
let instance: PublisherInstance;

beforeAll(async () => {
  instance = await publisherInstance({ uri: database.uri, oracleUrl: undefined });
  for (const size of sizes) {
    instance.setCards(cardsOf(size));
    await instance.tick();
  }
});
afterAll(() => instance.close());

async function sequencesOf(query: {
  order?: 'asc' | 'desc';
  from?: number;
  limit: number;
}): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const page: BatchPage = await instance.publisher.log.list({ ...query, cursor });
    pages.push(page.items.map(({ header }) => header.sequence));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

describe('the list of batches', () => {
  it('has every batch once, newest or oldest first, complete or from a sequence on', async () => {
    expect(await sequencesOf({ limit: 4 })).toEqual([
      [6, 5, 4, 3],
      [2, 1],
    ]);
    expect(await sequencesOf({ order: 'asc', limit: 2 })).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(await sequencesOf({ order: 'asc', from: 5, limit: 50 })).toEqual([[5, 6]]);
    expect(await sequencesOf({ from: 2, limit: 1 })).toEqual([[2], [1]]);
    expect(await sequencesOf({ order: 'asc', from: 7, limit: 1 })).toEqual([[]]);
  });

  it('refuses a cursor that was never issued', async () => {
    for (const cursor of ['x', 'YXNj', Buffer.from('up 3').toString('base64url')]) {
      await expect(instance.publisher.log.list({ limit: 1, cursor })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    }
  });
});

const cursorTo = (sequence: number, start: number) => writeCursor(['entries', String(sequence)], [start]);

describe('the entries of a batch', () => {
  it.each(sizes.map((size, index) => [size, index + 1]))(
    'are returned in pages as they were hashed: %i entries',
    async (size, sequence) => {
      expect(await allEntries(instance.publisher, sequence)).toEqual(cardsOf(size));
    },
  );

  it('are complete on a page in the middle', async () => {
    const { log } = instance.publisher;
    const { nextCursor } = await log.entries(batches, { limit: 200, cursor: undefined });
    const page = await log.entries(batches, { limit: 100, cursor: nextCursor ?? '' });
    expect(page).toMatchObject({ start: 200, items: cardsOf(767).slice(200, 300) });
  });

  it('are refused for an unknown batch or past the end', async () => {
    const { log } = instance.publisher;
    await expect(log.entries(99, { limit: 1, cursor: undefined })).rejects.toMatchObject({
      code: 'UNKNOWN_BATCH',
    });
    const entries = (sequence: number, cursor: string) => log.entries(sequence, { limit: 1, cursor });
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

  it('is refused for an unknown entry before, between and after the existing ones', async () => {
    const { log } = instance.publisher;
    for (const place of [
      { anchor: 'aaa', corridor: 'usdc-kes' },
      { anchor: 'anchor-000000', corridor: 'usdc-mmm' },
      { anchor: 'zzz', corridor: 'usdc-kes' },
    ]) {
      await expect(log.prove(1, place)).rejects.toMatchObject({ code: 'UNKNOWN_BATCH' });
      await expect(log.prove(6, place)).rejects.toMatchObject({ code: 'UNKNOWN_BATCH' });
    }
    await expect(log.prove(99, { anchor: 'aaa', corridor: 'usdc-kes' })).rejects.toMatchObject({
      code: 'UNKNOWN_BATCH',
    });
  });
});
