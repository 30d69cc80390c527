import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { pastAnswers } from '../../../scripts/bench/rate-history/past-answers.js';
import { packAnswer } from '../../../server/features/rate-history/packing.js';
import { grainOf } from '../../../server/features/rate-history/sample.rules.js';
import { createRateHistory, type RateHistory } from '../../../server/features/rate-history/service.js';
import { createRateSampleStore } from '../../../server/features/rate-history/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const corridor = corridorFixture({ id: 'usdc-ngn', buyAsset: 'iso4217:NGN', currency: 'NGN' });
const quarterMs = 900_000;
const start = Date.parse('2026-11-20T00:00:00Z');
/** So many anchors make a sample about a third of a megabyte. */
const anchors = 400;
const samples = 96;
let connection: Connection;
let history: RateHistory;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  const store = createRateSampleStore(connection);
  await prepareCollections(connection);
  const answerAt = pastAnswers(corridor, anchors);
  const packed = await Promise.all(
    [0, 1].map((slot) => packAnswer(Buffer.from(JSON.stringify(answerAt(start + slot * quarterMs))))),
  );
  const inTransaction = createInTransaction(connection);
  let previous: number | null = null;
  for (let slot = 0; slot < samples; slot += 1) {
    const at = start + slot * quarterMs;
    const grain = grainOf(at, previous) ?? '15m';
    const sample = { corridor: corridor.id, at, grain, packed: packed[slot % 2] as Buffer };
    await inTransaction((session) => store.insert(session, sample));
    previous = at;
  }
  history = createRateHistory({ store, isServed: () => true, clock: () => start + 3 * samples * quarterMs });
}, 120_000);
afterAll(() => connection.close());

/** A garbage collection takes time proportional to the heap of the test process, so only every 25th chunk is checked. */
const lookedAt = 25;

/** The peak memory while a day is read, and the size of what was read; in bytes. */
async function streamDay(type: 'text/csv' | 'application/x-ndjson', lookEvery: number) {
  const { chunks } = await history.stream(corridor.id, { day: '2026-11-20' }, type);
  const held = async () => {
    collectGarbage();
    // External memory is freed one turn after the objects that held it.
    await setImmediate();
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = await held();
  let most = 0;
  let sent = 0;
  let seen = 0;
  for await (const chunk of chunks()) {
    sent += chunk.length;
    if (seen % lookEvery === 0) most = Math.max(most, (await held()) - before);
    seen += 1;
  }
  return { most, sent, seen };
}

it.each([
  ['text/csv', 0.5],
  ['application/x-ndjson', 0.15],
] as const)(
  'a day as %s is streamed while no more than a few of its samples are held',
  async (type, share) => {
    const { seen } = await streamDay(type, Number.POSITIVE_INFINITY);
    const { most, sent } = await streamDay(type, Math.ceil(seen / lookedAt));
    expect(sent).toBeGreaterThan(5_000_000);
    expect(most / sent).toBeLessThan(share);
  },
  120_000,
);
