import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { writeErrorsOf } from '../../../server/mongo/failures.js';
import { bulkCollection } from '../../../server/mongo/models.js';
import { startMongoProxy } from '../../fixtures/disputes/database-proxy.js';
import { testDatabase } from '../../support/database.js';

interface Row {
  _id: number;
  square?: number;
}
const { uri } = testDatabase();
let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  await connection.createCollection('numbers');
});
afterAll(() => connection.close());

const numbers = () => bulkCollection<Row>(connection, 'numbers');
it('a bulk write in a transaction ends at the time limit of the transaction', async () => {
  await numbers().insertOne({ _id: 1, square: 1 });
  // Another transaction holds the document: the write conflicts and is retried until its time limit.
  const holder = await connection.startSession();
  holder.startTransaction();
  await numbers().updateOne({ _id: 1 }, { $set: { square: 7 } }, { session: holder });
  const session = await connection.startSession();
  const change = { updateOne: { filter: { _id: 1 }, update: { $set: { square: 0 } } } };
  const startedAt = performance.now();
  const blocked = session.withTransaction(() => numbers().bulkWrite([change], { session }), {
    timeoutMS: 300,
  });
  await expect(blocked).rejects.toThrow();
  expect(performance.now() - startedAt).toBeGreaterThan(200);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await holder.abortTransaction();
  expect(await numbers().findOne({ _id: 1 })).toEqual({ _id: 1, square: 1 });
  await session.endSession();
  await holder.endSession();
});

describe('the errors of a bulk write, by place', () => {
  it('are not told where no majority has the rest, also if some of it was refused as a duplicate', async () => {
    const rows = connection.collection<Row>('numbers');
    await rows.insertOne({ _id: 20 });
    const insert = (writeConcern: { w: number | 'majority' }) =>
      writeErrorsOf(() => rows.insertMany([{ _id: 20 }, { _id: 21 }], { ordered: false, writeConcern }));
    // The write concern needs more members than the replica set has.
    await expect(insert({ w: 2 })).rejects.toThrow();
    await rows.deleteOne({ _id: 21 });
    expect([...(await insert({ w: 'majority' })).keys()]).toEqual([0]);
  });
});

describe('an operation', () => {
  const { write } = Socket.prototype;
  afterAll(() => {
    Socket.prototype.write = write;
  });

  /** Blocks this process after each write to a socket, until the operation's time is up. */
  function beBusyAfterSending(ms: number): void {
    Socket.prototype.write = function (this: Socket, ...given: unknown[]) {
      const sent = Reflect.apply(write, this, given) as boolean;
      for (const until = performance.now() + ms; performance.now() < until; );
      return sent;
    } as typeof write;
  }

  it('never receives the late answer to an earlier operation that timed out', async () => {
    const proxy = await startMongoProxy(uri);
    proxy.delayAnswers(30);
    const delayed = await connectMongo({ uri: proxy.uri });
    // The driver considers the shortest exchange so far, and has measured none in the first two seconds.
    await delay(3_500);
    const rows = delayed.collection<{ _id: number }>('rows');
    const ids = [1, 2, 3, 4];
    await rows.insertMany(ids.map((_id) => ({ _id })));
    for (const _id of ids.slice(0, 3)) {
      beBusyAfterSending(300);
      const late = rows.updateOne({ _id }, { $set: { seen: true } }, { timeoutMS: 250 });
      await expect(late).rejects.toThrow('greater than the time remaining');
      Socket.prototype.write = write;
      expect(await rows.findOne({ _id: 4 })).toEqual({ _id: 4 });
    }
    await delayed.close();
    await proxy.stop();
  });
});
