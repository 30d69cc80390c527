import { describe, expect, it } from '@jest/globals';
import { type CacheOptions, createCache } from '../../../server/cache/cache.js';

/** A cache of words whose loads the test ends by hand. Fresh for 1 s, stale up to 10 s. */
function cacheOfWords(patch: Partial<CacheOptions<string, string>> = {}) {
  const world = { now: 0 };
  const loads: {
    question: string;
    previous: string | undefined;
    resolve(value: string): void;
    reject(error: Error): void;
  }[] = [];
  const cache = createCache<string, string>({
    load: (question, previous) =>
      new Promise((resolve, reject) => loads.push({ question, previous, resolve, reject })),
    freshMs: 1_000,
    staleMs: 10_000,
    clock: () => world.now,
    ...patch,
  });
  return { world, loads, cache };
}

const doubling = (failures: number) => 500 * 2 ** (failures - 1);

/** Lets settled promises run their handlers. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('single flight', () => {
  it('loads an answer once for a hundred that ask at the same time, and each key for itself', async () => {
    const { loads, cache } = cacheOfWords();
    const asked = Array.from({ length: 100 }, () => cache.get('a'));
    const other = cache.get('b');
    expect(loads.map(({ question }) => question)).toEqual(['a', 'b']);
    loads[0]?.resolve('alpha');
    loads[1]?.resolve('beta');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['alpha']));
    expect(await other).toBe('beta');
  });

  it('joins questions that are spelled differently and have the same key', async () => {
    const { loads, cache } = cacheOfWords({ keyOf: (question) => question.toLowerCase() });
    const asked = [cache.get('A'), cache.get('a')];
    loads[0]?.resolve('alpha');
    expect(await Promise.all(asked)).toEqual(['alpha', 'alpha']);
    expect(loads.length).toBe(1);
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

  it('joins a refresh to the load under way', async () => {
    const { loads, cache } = cacheOfWords();
    const asked = [cache.get('a'), cache.refresh('a'), cache.refresh('a')];
    loads[0]?.resolve('alpha');
    expect(await Promise.all(asked)).toEqual(['alpha', 'alpha', 'alpha']);
    expect(loads.length).toBe(1);
  });
});

describe('age', () => {
  it('serves an answer without asking while it is fresh, then stale while one refresh runs', async () => {
    const { world, loads, cache } = cacheOfWords();
    cache.seed('a', 'old', 0);
    world.now = 999;
    expect(await cache.get('a')).toBe('old');
    expect(loads.length).toBe(0);
    expect(cache.peek('a')).toEqual({ value: 'old', loadedAt: 0, fresh: true });
    world.now = 1_000;
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['old', 'old']);
    expect(loads.length).toBe(1);
    expect(cache.peek('a')).toEqual({ value: 'old', loadedAt: 0, fresh: false });
    loads[0]?.resolve('new');
    await settle();
    expect(await cache.get('a')).toBe('new');
    expect(cache.peek('a')).toEqual({ value: 'new', loadedAt: 1_000, fresh: true });
  });

  it('never serves an answer past its stale time: whoever asks waits for a new one', async () => {
    const { world, loads, cache } = cacheOfWords();
    cache.seed('a', 'old', 0);
    world.now = 10_000;
    expect(cache.peek('a')).toBeUndefined();
    const asked = cache.get('a');
    loads[0]?.resolve('new');
    expect(await asked).toBe('new');
  });

  it('waits for a new answer where the one kept is as old as the caller accepts', async () => {
    const { world, loads, cache } = cacheOfWords();
    cache.seed('a', 'old', 0);
    world.now = 400;
    expect(await cache.get('a', { maxAgeMs: 401 })).toBe('old');
    const asked = cache.get('a', { maxAgeMs: 400 });
    expect(loads.length).toBe(1);
    loads[0]?.resolve('new');
    expect(await asked).toBe('new');
  });

  it('takes the time from the value where that is given', async () => {
    const { world, loads, cache } = cacheOfWords({ freshMs: Number });
    cache.seed('a', '5000', 0);
    world.now = 4_999;
    await cache.get('a');
    expect(loads.length).toBe(0);
    world.now = 5_000;
    await cache.get('a');
    expect(loads.length).toBe(1);
  });

  it('tells the load what was answered before, even where that is too old to be served', () => {
    const { world, loads, cache } = cacheOfWords();
    void cache.get('b');
    cache.seed('a', 'old', 0);
    world.now = 50_000;
    void cache.get('a');
    expect(loads.map(({ previous }) => previous)).toEqual([undefined, 'old']);
  });
});

describe('failures', () => {
  it('keeps serving the stale answer while refreshes fail, until it is too old', async () => {
    const { world, loads, cache } = cacheOfWords({ retryMs: doubling });
    cache.seed('a', 'old', 0);
    world.now = 1_000;
    expect(await cache.get('a')).toBe('old');
    loads[0]?.reject(new Error('away'));
    await settle();
    expect(cache.faultOf('a')).toEqual(new Error('away'));
    world.now = 9_999;
    expect(await cache.get('a')).toBe('old');
    loads[1]?.reject(new Error('still away'));
    await settle();
    world.now = 10_000;
    await expect(cache.get('a')).rejects.toThrow('still away');
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
});

describe('clear', () => {
  it('forgets what is kept, and failures, at once', async () => {
    const { loads, cache } = cacheOfWords({ retryMs: doubling });
    cache.seed('a', 'old', 0);
    const failed = cache.get('b');
    loads[0]?.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    expect(cache.clear()).toBe(1);
    expect(cache.peek('a')).toBeUndefined();
    const asked = [cache.get('a'), cache.get('b')];
    expect(loads[1]?.previous).toBeUndefined();
    loads[1]?.resolve('new');
    loads[2]?.resolve('beta');
    expect(await Promise.all(asked)).toEqual(['new', 'beta']);
  });

  it('gives a load that it overtakes to those who wait for it, and never to anybody else', async () => {
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
});

describe('memory', () => {
  it('is bounded by forgetting what was asked for least recently', () => {
    const { cache } = cacheOfWords({ max: 3 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) cache.seed(key, key, 0);
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.peek(key) !== undefined)).toEqual(['c', 'd', 'e']);
  });

  it('answers those who wait for a load whose place was taken meanwhile', async () => {
    const { loads, cache } = cacheOfWords({ max: 1 });
    const asked = cache.get('a');
    cache.seed('b', 'beta', 0);
    loads[0]?.resolve('alpha');
    expect(await asked).toBe('alpha');
  });
});

describe('a clock that is set back by an hour', () => {
  it('neither keeps an answer fresh for an hour nor a failure in force', async () => {
    const { world, loads, cache } = cacheOfWords({ retryMs: doubling });
    world.now = 3_600_000;
    const asked = [cache.get('a'), cache.get('b')];
    loads[0]?.resolve('alpha');
    loads[1]?.reject(new Error('away'));
    await Promise.allSettled(asked);
    expect(cache.peek('a')).toMatchObject({ value: 'alpha', fresh: true });
    world.now = 0;
    expect(cache.peek('a')).toBeUndefined();
    const again = [cache.get('a'), cache.get('b')];
    loads[2]?.resolve('alpha again');
    loads[3]?.resolve('beta');
    expect(await Promise.all(again)).toEqual(['alpha again', 'beta']);
  });
});
