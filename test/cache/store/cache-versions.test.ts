import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { invalidateCacheAnswer } from '../../../contract/schemas/cache.js';
import { type CacheVersions, createCacheVersions } from '../../../server/features/cache/cache-versions.js';
import { createCacheAdmin } from '../../../server/features/cache/service.js';
import { createCacheVersionStore } from '../../../server/features/cache/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
let connection: Connection;
let here: CacheVersions;
let there: CacheVersions;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  here = createCacheVersions({ store: createCacheVersionStore(connection) });
  there = createCacheVersions({ store: createCacheVersionStore(connection) });
  await prepareCollections(connection);
  await here.poll();
  await there.poll();
});

afterAll(async () => {
  await connection.close();
});

const ngn = ['usdc-ngn'];
const kes = ['usdc-kes'];

describe('an invalidation', () => {
  it('changes the version of its scope and corridor here at once, and no other', async () => {
    const before = [here.read('rates', ngn), here.read('rates', kes), here.read('fx'), here.read('rates')];
    await here.invalidate('rates', 'usdc-ngn');
    const after = [here.read('rates', ngn), here.read('rates', kes), here.read('fx'), here.read('rates')];
    expect(after.map((version, i) => version - (before[i] ?? 0))).toEqual([1, 0, 0, 1]);
  });

  it('of everything changes every version', async () => {
    const read = () => [
      here.read('rates', ngn),
      here.read('anchors', kes),
      here.read('fx'),
      here.read('snapshot'),
    ];
    const before = read();
    await here.invalidate('all', undefined);
    expect(read().map((version, i) => version > (before[i] ?? 0))).toEqual([true, true, true, true]);
  });

  it('counts what a poll freed on its account before it was itself answered', async () => {
    const store = createCacheVersionStore(connection);
    const polling = createCacheVersions({
      store: {
        ...store,
        async increment(id) {
          const version = await store.increment(id);
          await polling.poll();
          return version;
        },
      },
    });
    await polling.poll();
    let held = 3;
    polling.onInvalidate(() => {
      const freed = held;
      held = 0;
      return freed;
    });
    expect((await polling.invalidate('rates', 'usdc-kes')).droppedEntries).toBe(3);
  });

  it('reaches another instance with its next poll, and frees there what became void', async () => {
    await there.poll();
    let freed = 0;
    there.onInvalidate(() => ++freed);
    await here.invalidate('rates', 'usdc-kes');
    expect(there.read('rates', kes)).not.toBe(here.read('rates', kes));
    await there.poll();
    expect(there.read('rates', kes)).toBe(here.read('rates', kes));
    expect(freed).toBe(1);
    await there.poll();
    expect(freed).toBe(1);
  });

  it('counts up by one however many happen at once, and every instance ends at the same version', async () => {
    const counted = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? here : there).invalidate('fx', undefined)),
    );
    expect(new Set(counted.map(({ version }) => version)).size).toBe(20);
    await Promise.all([here.poll(), there.poll()]);
    expect(here.read('fx')).toBe(there.read('fx'));
  });

  it('is known to an instance from its first poll', async () => {
    const late = createCacheVersions({ store: createCacheVersionStore(connection) });
    await late.poll();
    expect(late.read('rates', ngn)).toBe(here.read('rates', ngn));
  });
});

describe('the cache administration', () => {
  const admin = () =>
    createCacheAdmin({
      cacheVersions: here,
      hasCorridor: (id) => id === 'usdc-ngn',
      clock: () => Date.parse('2026-11-21T09:30:00Z'),
      logger: silentLogger,
    });

  it('drops everything where nothing is named, and says what it did', async () => {
    let dropped = 0;
    here.onInvalidate(() => {
      dropped += 3;
      return 3;
    });
    const answer = await admin().invalidate({});
    expect(invalidateCacheAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      scope: 'all',
      corridor: null,
      droppedEntries: 3,
      invalidatedAt: '2026-11-21T09:30:00.000Z',
    });
    expect(dropped).toBe(3);
  });

  it('refuses a corridor that is not served', async () => {
    await expect(admin().invalidate({ scope: 'rates', corridor: 'usdc-zzz' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_PAIR',
      extras: { details: [{ path: 'body.corridor' }] },
    });
  });
});
