import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { inBatches } from '../../../server/features/intents/in-batches.js';

/** A database that answers each batch on command; by default, the results are the items themselves. */
function slowDatabase(maxItems = 100) {
  const sent: {
    items: readonly string[];
    answer(results?: (string | Error)[]): void;
    fail(error: Error): void;
  }[] = [];
  const add = inBatches<string, string>({
    send: (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, answer: (results) => resolve(results ?? items), fail: reject });
      }),
    maxItems,
  });
  /** Waits for the batch with this number. */
  async function batch(place: number) {
    for (;;) {
      const found = sent[place];
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { add, batch, sent };
}

describe('inBatches', () => {
  it('sends a single item at once, and what arrives meanwhile together afterwards', async () => {
    const { add, batch, sent } = slowDatabase();
    const first = add('a');
    expect((await batch(0)).items).toEqual(['a']);
    const others = Promise.all([add('b'), add('c'), add('b')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
    (await batch(0)).answer();
    expect(await first).toBe('a');
    (await batch(1)).answer(['1', '2', '3']);
    expect(await others).toEqual(['1', '2', '3']);
    expect((await batch(1)).items).toEqual(['b', 'c', 'b']);
  });

  it('sends at most so many at a time, in the order in which they arrived', async () => {
    const { add, batch } = slowDatabase(2);
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(add));
    for (const [place, items] of [['a', 'b'], ['c', 'd'], ['e']].entries()) {
      expect((await batch(place)).items).toEqual(items);
      (await batch(place)).answer();
    }
    expect(await all).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('gives an item its own error, and the others their results', async () => {
    const { add, batch } = slowDatabase();
    const all = Promise.allSettled([add('a'), add('b'), add('c')]);
    const refused = new Error('refused');
    (await batch(0)).answer(['a', refused, 'c']);
    expect(await all).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: refused },
      { status: 'fulfilled', value: 'c' },
    ]);
  });

  it('acknowledges no item that the answer has no result for', async () => {
    const { add, batch } = slowDatabase();
    const all = Promise.allSettled([add('a'), add('b')]);
    (await batch(0)).answer(['a']);
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses what waits behind a database that does not answer, and sends what arrives afterwards', async () => {
    const { add, batch, sent } = slowDatabase();
    const first = add('a');
    await batch(0);
    const waiting = Promise.allSettled([first, add('b'), add('c')]);
    const late = new mongo.MongoOperationTimeoutError('Timed out during socket read');
    (await batch(0)).fail(late);
    expect(await waiting).toEqual(Array(3).fill({ status: 'rejected', reason: late }));
    expect(sent).toHaveLength(1);
    const next = add('d');
    (await batch(1)).answer();
    expect(await next).toBe('d');
  });

  it('goes on with what waits after any other error of a batch', async () => {
    const { add, batch } = slowDatabase();
    const first = add('a');
    await batch(0);
    const next = add('b');
    (await batch(0)).fail(new mongo.MongoServerError({ message: 'unauthorized', code: 13 }));
    await expect(first).rejects.toMatchObject({ code: 13 });
    (await batch(1)).answer();
    expect(await next).toBe('b');
  });
});
