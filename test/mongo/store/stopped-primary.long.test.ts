import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Connection, Schema } from 'mongoose';
import { watchChanges } from '../../../server/mongo/change-streams.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

let mongo: PrivateMongo;
let connection: Connection;
const rows = new Schema({ n: Number }, { collection: 'rows', versionKey: false });

beforeAll(async () => {
  mongo = await privateMongo();
  connection = await connectMongo({ uri: mongo.uri });
  connection.model('Row', rows);
  await prepareCollections(connection);
});
afterAll(async () => {
  await connection.close();
  await mongo.stop();
});

async function failure(work: () => Promise<unknown>): Promise<{ error: unknown; elapsedMs: number }> {
  const startedAt = performance.now();
  try {
    await work();
  } catch (error) {
    return { error, elapsedMs: performance.now() - startedAt };
  }
  throw new Error('did not fail');
}

describe('while the primary is stopped', () => {
  it('fails reads, writes and transactions within 3.5 s as "unavailable", and they work again afterwards', async () => {
    const row = connection.model('Row');
    await row.create({ n: 1 });
    mongo.freeze();
    try {
      const failures = await Promise.all([
        failure(() => row.findOne({ n: 1 }).lean()),
        failure(() => row.create({ n: 2 })),
        failure(() =>
          createInTransaction(connection)(async (session) => row.create([{ n: 3 }], { session })),
        ),
      ]);
      for (const { error, elapsedMs } of failures) {
        expectFor(String(error), isMongoUnavailable(error)).toBe(true);
        expect(elapsedMs).toBeLessThan(3_500);
      }
    } finally {
      mongo.thaw();
    }
    await waitFor(async () => expect(await row.countDocuments({ n: 1 }).catch(() => 0)).toBe(1), {
      timeout: 10_000,
    });
  });

  it('wakes the worker of a change stream again after the primary comes back', async () => {
    const row = connection.model('Row');
    let wakes = 0;
    const waker = watchChanges({
      model: row,
      pipeline: [],
      onOpen: () => (wakes += 1),
      onChange: () => (wakes += 1),
      logger: silentLogger,
    });
    waker.start();
    await waitFor(async () => expect(await wakes).toBeGreaterThan(0), { timeout: 5_000 });
    await waitFor(
      async () =>
        expect(
          await (async () => {
            await row.create({ n: 10 });
            return wakes;
          })(),
        ).toBeGreaterThan(1),
      { timeout: 5_000 },
    );
    mongo.freeze();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    mongo.thaw();
    const before = wakes;
    await waitFor(
      async () =>
        expect(
          await (async () => {
            await row.create({ n: 11 }).catch(() => undefined);
            return wakes;
          })(),
        ).toBeGreaterThan(before),
      { timeout: 15_000, interval: 200 },
    );
    await waker.stop();
  });
});
