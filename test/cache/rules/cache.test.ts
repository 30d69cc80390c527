import { describe, expect, it } from '@jest/globals';
import { type CacheOptions, createCache, lasting } from '../../../server/cache/cache.js';

/** A cache of words whose loads the test ends by hand. Fresh for 1 s, stale up to 10 s. */
function cacheOfWords(patch: Partial<CacheOptions<string, string>> = {}) {
  const world = { now: 0, version: 0 };
  const loads: {
    question: string;
    previous: string | undefined;
    resolve(value: string): void;
    reject(error: Error): void;
  }[] = [];
  const cache = createCache<string, string>({
    load: (question, previous) =>
      new Promise((resolve, reject) => loads.push({ question, previous, resolve, reject })),
    lifetimeOf: lasting({ freshMs: 1_000, staleMs: 10_000 }),
    versionOf: () => world.version,
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

describe('the announcement of a load', () => {
  function announced() {
    let count = 0;
    const words = cacheOfWords({ onLoaded: () => (count += 1) });
    return { ...words, count: () => count };
  }

  it('is made once, however many wait for the load, and when `get` already returns the new value', async () => {
    const kept: (string | undefined)[] = [];
    const { world, loads, cache } = cacheOfWords({ onLoaded: () => kept.push(cache.peek('a')?.value) });
    cache.seed('a', 'old', 0);
    world.now = 20_000;
    const asked = Array.from({ length: 5 }, () => cache.get('a'));
    loads[0]?.resolve('new');
    await Promise.all(asked);
    // The first is the announcement of `seed`.
    expect(kept).toEqual(['old', 'new']);
  });

  it('is left out for the first answer to a question, which replaces none', async () => {
    const { loads, cache, count } = announced();
    const first = cache.get('a');
    loads[0]?.resolve('alpha');
    await first;
    expect(count()).toBe(0);
    const second = cache.refresh('a');
    loads[1]?.resolve('other');
    await second;
    expect(count()).toBe(1);
  });

  it('is made for the first answer after a failure, and for a failure after an answer', async () => {
    const { loads, cache, count } = announced();
    const ask = () => cache.refresh('a').catch(() => undefined);
    const outcomes = [ask()];
    loads[0]?.reject(new Error('away'));
    await settle();
    outcomes.push(ask());
    loads[1]?.resolve('alpha');
    await settle();
    outcomes.push(ask());
    loads[2]?.reject(new Error('away'));
    await Promise.all(outcomes);
    expect(count()).toBe(2);
  });
});

describe('age', () => {
  it('serves an answer without asking while it is fresh, then stale while one refresh runs', async () => {
    const { world, loads, cache } = cacheOfWords();
    cache.seed('a', 'old', 0);
    world.now = 999;
    expect(await cache.get('a')).toBe('old');
    expect(loads.length).toBe(0);
    expect(cache.peek('a')).toEqual({ value: 'old', asOf: 0, fresh: true });
    world.now = 1_000;
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['old', 'old']);
    expect(loads.length).toBe(1);
    expect(cache.peek('a')).toEqual({ value: 'old', asOf: 0, fresh: false });
    loads[0]?.resolve('new');
    await settle();
    expect(await cache.get('a')).toBe('new');
    expect(cache.peek('a')).toEqual({ value: 'new', asOf: 1_000, fresh: true });
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

  it('takes the lifetime from the value where the value knows better', async () => {
    const { world, loads, cache } = cacheOfWords({
      lifetimeOf: (value) => ({ asOf: 0, freshUntil: Number(value), staleUntil: 10_000 }),
    });
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
    const { world, loads, cache } = cacheOfWords({ retryDelayMs: doubling });
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
    const { world, loads, cache } = cacheOfWords({ retryDelayMs: doubling });
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

describe('a change of version', () => {
  it('makes what is kept void at once', async () => {
    const { world, loads, cache } = cacheOfWords();
    cache.seed('a', 'old', 0);
    world.version = 1;
    expect(cache.peek('a')).toBeUndefined();
    const asked = cache.get('a');
    expect(loads[0]?.previous).toBeUndefined();
    loads[0]?.resolve('new');
    expect(await asked).toBe('new');
  });

  it('gives a load that it overtakes to those who wait for it, and never to anybody else', async () => {
    const { world, loads, cache } = cacheOfWords();
    const before = cache.get('a');
    world.version = 1;
    const after = cache.get('a');
    expect(loads.length).toBe(2);
    loads[1]?.resolve('new');
    expect(await after).toBe('new');
    loads[0]?.resolve('old');
    expect(await before).toBe('old');
    expect(await cache.get('a')).toBe('new');
  });

  it('ends the retry delay of failures before it', async () => {
    const { world, loads, cache } = cacheOfWords({ retryDelayMs: doubling });
    const failed = cache.get('a');
    loads[0]?.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    world.version = 1;
    const asked = cache.get('a');
    loads[1]?.resolve('alpha');
    expect(await asked).toBe('alpha');
  });

  it('lets dropVoid free the answers it made void and no other', async () => {
    const versions = new Map<string, number>();
    const { cache } = cacheOfWords({ versionOf: (question) => versions.get(question) ?? 0 });
    cache.seed('a', 'alpha', 0);
    cache.seed('b', 'beta', 0);
    expect(cache.dropVoid()).toBe(0);
    versions.set('a', 1);
    expect(cache.dropVoid()).toBe(1);
    expect(cache.dropVoid()).toBe(0);
    expect(await cache.get('b')).toBe('beta');
  });
});

describe('memory', () => {
  it('stays within its bytes by forgetting what was used least recently', () => {
    const { cache } = cacheOfWords({ maxBytes: 10_000, bytesOf: () => 2_400 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) cache.seed(key, key, 0);
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.peek(key) !== undefined)).toEqual(['c', 'd', 'e']);
  });

  it('answers with a value that is too large, and does not keep it', async () => {
    const { loads, cache } = cacheOfWords({ maxEntryBytes: 1_000 });
    const asked = cache.get('a');
    const large = 'x'.repeat(1_000);
    loads[0]?.resolve(large);
    expect(await asked).toBe(large);
    expect(cache.peek('a')).toBeUndefined();
  });

  it('answers those who wait for a load whose place was taken meanwhile', async () => {
    const { loads, cache } = cacheOfWords({ maxBytes: 3_000, bytesOf: () => 2_400 });
    const asked = cache.get('a');
    cache.seed('b', 'beta', 0);
    cache.seed('c', 'gamma', 0);
    loads[0]?.resolve('alpha');
    expect(await asked).toBe('alpha');
  });
});

describe('a clock that is set back by an hour', () => {
  it('neither keeps an answer fresh for an hour nor a failure in force', async () => {
    const { world, loads, cache } = cacheOfWords({ retryDelayMs: doubling });
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
