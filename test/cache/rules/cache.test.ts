import { describe, expect, it } from '@jest/globals';
import { type CacheOptions, createCache } from '../../../server/cache/cache.js';

/** A cache of words whose loads the test ends by hand. Fresh for 1 s, stale up to 10 s. */
function cacheOfWords(patch: Partial<CacheOptions<string, string>> = {}) {
  const world = { now: 0 };
  type Ends = { resolve(value: string): void; reject(error: Error): void };
  const loads: ({ question: string; previous: string | undefined } & Ends)[] = [];
  const cache = createCache<string, string>({
    load: (question, previous) =>
      new Promise((resolve, reject) => loads.push({ question, previous, resolve, reject })),
    freshMs: 1_000,
    staleMs: 10_000,
    clock: () => world.now,
    ...patch,
  });
  /** Loads this answer now, before the loads of the test. */
  async function keep(question: string, value: string): Promise<void> {
    const asked = cache.get(question);
    loads.pop()?.resolve(value);
    await asked;
  }
  return { world, loads, cache, keep };
}

const doubling = (failures: number) => 500 * 2 ** (failures - 1);

/** Lets settled promises run their handlers. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('single flight', () => {
  it('loads an answer once for all who ask or refresh at the same time in any spelling, and each key for itself', async () => {
    const { loads, cache } = cacheOfWords({ keyOf: (question) => question.toLowerCase() });
    const asked = Array.from({ length: 100 }, (_, n) => cache.get(n % 2 === 0 ? 'a' : 'A'));
    asked.push(cache.refresh('a'));
    const other = cache.get('b');
    expect(loads.map(({ question }) => question)).toEqual(['a', 'b']);
    loads[0]?.resolve('alpha');
    loads[1]?.resolve('beta');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['alpha']));
    expect(await other).toBe('beta');
  });

  it('fails everyone who waits for a load that fails, and loads again for the next one', async () => {
    const { loads, cache } = cacheOfWords();
    const asked = [cache.get('a'), cache.get('a')];
    loads[0]?.reject(new Error('away'));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = cache.get('a');
    loads[1]?.resolve('alpha');
    expect(await again).toBe('alpha');
    expect(cache.faultOf('a')).toBeUndefined();
  });
});

describe('age', () => {
  it('serves an answer without asking while it is fresh, then stale while one refresh runs', async () => {
    const { world, loads, cache, keep } = cacheOfWords();
    await keep('a', 'old');
    world.now = 999;
    expect(await cache.get('a')).toBe('old');
    expect(loads.length).toBe(0);
    expect(cache.peek('a')).toEqual({ value: 'old', loadedAt: 0, fresh: true });
    world.now = 1_000;
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['old', 'old']);
    expect(cache.peek('a')).toEqual({ value: 'old', loadedAt: 0, fresh: false });
    expect(loads.length).toBe(1);
    loads[0]?.resolve('new');
    await settle();
    expect(await cache.get('a')).toBe('new');
    expect(cache.peek('a')).toEqual({ value: 'new', loadedAt: 1_000, fresh: true });
  });

  it.each<[who: string, now: number, how: { maxAgeMs: number } | undefined, kept: boolean, seen: boolean]>([
    ['is past its stale time', 10_000, undefined, false, false],
    ['is as old as the caller accepts', 400, { maxAgeMs: 400 }, false, true],
    ['is younger than the caller accepts', 400, { maxAgeMs: 401 }, true, true],
  ])('waits for a new answer where the one kept %s', async (_who, now, how, kept, seen) => {
    const { world, loads, cache, keep } = cacheOfWords();
    await keep('a', 'old');
    world.now = now;
    expect(cache.peek('a') !== undefined).toBe(seen);
    const asked = cache.get('a', how);
    expect(loads.map(({ previous }) => previous)).toEqual(kept ? [] : ['old']);
    loads[0]?.resolve('new');
    expect(await asked).toBe(kept ? 'old' : 'new');
  });

  it('takes the time from the value where that is given', async () => {
    const { world, loads, cache, keep } = cacheOfWords({ freshMs: Number });
    await keep('a', '5000');
    for (const asked of [0, 1]) {
      world.now = 4_999 + asked;
      await cache.get('a');
      expect(loads.length).toBe(asked);
    }
  });
});

describe('failures', () => {
  it('keeps serving the stale answer while refreshes fail, until it is too old', async () => {
    const { world, loads, cache, keep } = cacheOfWords({ retryMs: doubling });
    await keep('a', 'old');
    for (const [nth, now] of [1_000, 9_999].entries()) {
      world.now = now;
      expect(await cache.get('a')).toBe('old');
      loads[nth]?.reject(new Error(`away ${nth}`));
      await settle();
      expect(cache.faultOf('a')).toEqual(new Error(`away ${nth}`));
    }
    world.now = 10_000;
    await expect(cache.get('a')).rejects.toThrow('away 1');
  });

  it('does not ask again before the retry delay is over, and waits longer after each failure', async () => {
    const { world, loads, cache } = cacheOfWords({ retryMs: doubling });
    for (const [failures, retryAt] of [500, 1_500, 3_500].entries()) {
      const failed = cache.get('a');
      loads[failures]?.reject(new Error(`failure ${failures + 1}`));
      await expect(failed).rejects.toThrow(`failure ${failures + 1}`);
      world.now = retryAt - 1;
      await expect(cache.get('a')).rejects.toThrow(`failure ${failures + 1}`);
      expect(loads.length).toBe(failures + 1);
      world.now = retryAt;
    }
    const asked = cache.get('a');
    loads[3]?.resolve('alpha');
    expect(await asked).toBe('alpha');
    expect(cache.faultOf('a')).toBeUndefined();
  });

  it('and answers are over when the clock is set back by an hour', async () => {
    const { world, loads, cache } = cacheOfWords({ retryMs: doubling });
    world.now = 3_600_000;
    const asked = [cache.get('a'), cache.get('b')];
    loads[0]?.resolve('alpha');
    loads[1]?.reject(new Error('away'));
    await Promise.allSettled(asked);
    world.now = 0;
    expect(cache.peek('a')).toBeUndefined();
    const again = [cache.get('a'), cache.get('b')];
    loads[2]?.resolve('alpha again');
    loads[3]?.resolve('beta');
    expect(await Promise.all(again)).toEqual(['alpha again', 'beta']);
  });
});

describe('what is forgotten', () => {
  it('by clear is what is kept, and failures, at once', async () => {
    const { loads, cache, keep } = cacheOfWords({ retryMs: doubling });
    await keep('a', 'old');
    const failed = cache.get('b');
    loads[0]?.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    expect(cache.clear()).toBe(1);
    expect(cache.peek('a')).toBeUndefined();
    const asked = [cache.get('a'), cache.get('b')];
    expect(loads[1]?.previous).toBeUndefined();
    for (const load of loads.slice(1)) load.resolve('new');
    expect(await Promise.all(asked)).toEqual(['new', 'new']);
  });

  it('while it loads is given to those who wait for it, and never to anybody else', async () => {
    const { loads, cache } = cacheOfWords();
    const before = cache.get('a');
    cache.clear();
    const after = cache.get('a');
    expect(loads.length).toBe(2);
    loads[1]?.resolve('new');
    expect(await after).toBe('new');
    loads[0]?.resolve('old');
    expect(await before).toBe('old');
    expect(await cache.get('a')).toBe('new');
  });

  it('beyond the bound is what was asked for least recently; who waits for it is answered', async () => {
    const { loads, cache, keep } = cacheOfWords({ max: 3 });
    const waiting = cache.get('w');
    for (const key of ['a', 'b', 'c', 'd', 'e']) await keep(key, key);
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.peek(key) !== undefined)).toEqual(['c', 'd', 'e']);
    loads[0]?.resolve('waited for');
    expect(await waiting).toBe('waited for');
  });
});
