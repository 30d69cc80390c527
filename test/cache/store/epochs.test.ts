import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { invalidateCacheAnswer } from '../../../contract/schemas/cache.js';
import { createEpochs, type Epochs } from '../../../server/features/cache/epochs.js';
import { createCacheAdmin } from '../../../server/features/cache/service.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let connection: Connection;
let here: Epochs;
let there: Epochs;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  here = createEpochs({ connection, random: Math.random, logger: silentLogger });
  there = createEpochs({ connection, random: Math.random, logger: silentLogger });
  await prepareCollections(connection);
  await here.start();
  await there.start();
});

afterAll(async () => {
  await here.stop();
  await there.stop();
  await connection.close();
});

const ngn = ['usdc-ngn'];
const kes = ['usdc-kes'];

describe('an invalidation', () => {
  it('moves the epoch of its scope and corridor here at once, and of no other', async () => {
    const before = [here.read('rates', ngn), here.read('rates', kes), here.read('fx'), here.read('rates')];
    await here.invalidate('rates', 'usdc-ngn');
    const after = [here.read('rates', ngn), here.read('rates', kes), here.read('fx'), here.read('rates')];
    expect(after.map((epoch, i) => epoch - (before[i] ?? 0))).toEqual([1, 0, 0, 1]);
  });

  it('of everything moves every epoch', async () => {
    const read = () => [
      here.read('rates', ngn),
      here.read('anchors', kes),
      here.read('fx'),
      here.read('snapshot'),
    ];
    const before = read();
    await here.invalidate('all', undefined);
    expect(read().map((epoch, i) => epoch > (before[i] ?? 0))).toEqual([true, true, true, true]);
  });

  it('reaches the other instances within a second', async () => {
    const heard: unknown[] = [];
    there.onInvalidate((scope, corridor) => heard.push([scope, corridor]));
    await here.invalidate('rates', 'usdc-kes');
    const known = () => expect(there.read('rates', kes)).toBe(here.read('rates', kes));
    await waitFor(known, { timeout: 1_000, interval: 20 });
    expect(heard).toContainEqual(['rates', 'usdc-kes']);
  });

  it('counts up by one however many happen at once, and every instance ends at the same number', async () => {
    const epochs = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? here : there).invalidate('fx', undefined)),
    );
    expect(new Set(epochs.map(({ epoch }) => epoch)).size).toBe(20);
    const agree = () => expect(here.read('fx')).toBe(there.read('fx'));
    await waitFor(agree, { timeout: 1_000, interval: 20 });
  });

  it('is known to an instance from its start', async () => {
    const late = createEpochs({ connection, random: Math.random, logger: silentLogger });
    await late.start();
    await late.stop();
    expect(late.read('rates', ngn)).toBe(here.read('rates', ngn));
  });
});

describe('the cache administration', () => {
  const admin = () =>
    createCacheAdmin({
      epochs: here,
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
