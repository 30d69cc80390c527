import { describe, expect, it } from '@jest/globals';
import { createRefreshedValue } from '../../../server/upstream/refreshed-value.js';

const policy = {
  freshMs: 1_000,
  staleMs: 10_000,
  retry: { baseMs: 500, factor: 2, maxMs: 4_000, jitter: 0 },
};

/** A value whose loads the test ends by hand. */
function setUp() {
  const world = { now: 0, epoch: 0 };
  const loads: { resolve(value: string): void; reject(error: Error): void }[] = [];
  const value = createRefreshedValue<string>({
    load: () => new Promise((resolve, reject) => loads.push({ resolve, reject })),
    policy,
    clock: () => world.now,
    random: () => 0.5,
    epoch: () => world.epoch,
  });
  return { world, loads, value };
}

/** Lets settled promises run their handlers. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a refreshed value', () => {
  it('is loaded once however many ask at the same time', async () => {
    const { loads, value } = setUp();
    const asked = Array.from({ length: 100 }, () => value.get());
    loads[0]?.resolve('a');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['a']));
    expect(loads.length).toBe(1);
  });

  it('is served while fresh, then served stale while one refresh runs', async () => {
    const { world, loads, value } = setUp();
    const first = value.get();
    loads[0]?.resolve('a');
    await first;
    world.now = 999;
    expect(await value.get()).toBe('a');
    expect(loads.length).toBe(1);
    world.now = 1_000;
    expect(await Promise.all([value.get(), value.get()])).toEqual(['a', 'a']);
    expect(loads.length).toBe(2);
    expect(value.peek()).toMatchObject({ fresh: false });
    loads[1]?.resolve('b');
    await settle();
    expect(await value.get()).toBe('b');
  });

  it('goes on being served while refreshes fail, and is gone when too old', async () => {
    const { world, loads, value } = setUp();
    value.seed('a', 0);
    world.now = 1_000;
    expect(await value.get()).toBe('a');
    loads[0]?.reject(new Error('away'));
    await settle();
    expect(value.lastFault()).toEqual(new Error('away'));
    world.now = 9_999;
    expect(await value.get()).toBe('a');
    loads[1]?.reject(new Error('still away'));
    await settle();
    world.now = 10_000;
    await expect(value.get()).rejects.toThrow('still away');
  });

  it('is not asked for again before its back-off is over', async () => {
    const { world, loads, value } = setUp();
    const failed = value.get();
    loads[0]?.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    world.now = 499;
    await expect(value.get()).rejects.toThrow('away');
    expect(loads.length).toBe(1);
    world.now = 500;
    const again = value.get();
    expect(loads.length).toBe(2);
    loads[1]?.resolve('b');
    expect(await again).toBe('b');
    expect(value.lastFault()).toBeUndefined();
  });

  it('whose load began before an invalidation answers its waiters and is not kept', async () => {
    const { world, loads, value } = setUp();
    const old = value.get();
    world.epoch = 1;
    const fresh = value.get();
    expect(loads.length).toBe(2);
    loads[1]?.resolve('new');
    expect(await fresh).toBe('new');
    loads[0]?.resolve('old');
    expect(await old).toBe('old');
    expect(await value.get()).toBe('new');
  });

  it('kept from before an invalidation is not served', async () => {
    const { world, loads, value } = setUp();
    value.seed('a', 0);
    world.epoch = 1;
    expect(value.peek()).toBeUndefined();
    const asked = value.get();
    loads[0]?.resolve('b');
    expect(await asked).toBe('b');
  });
});
