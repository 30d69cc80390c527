import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { writeErrorsOf } from '../../../server/mongo/failures.js';
import { bulkCollection } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  await connection.createCollection('numbers');
});
afterAll(() => connection.close());

describe('a bulk write in a transaction', () => {
  it('is committed with the transaction', async () => {
    const numbers = bulkCollection<{ _id: number; square?: number }>(connection, 'numbers');
    await createInTransaction(connection)(async (session) => {
      await numbers.insertMany([{ _id: 1 }, { _id: 2 }], { session });
      await numbers.bulkWrite(
        [1, 2, 3].map((_id) => ({
          updateOne: { filter: { _id }, update: { $set: { square: _id * _id } }, upsert: true },
        })),
        { session, ordered: false },
      );
    });
    expect(await numbers.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, square: 1 },
      { _id: 2, square: 4 },
      { _id: 3, square: 9 },
    ]);
  });

  it('is not written if the transaction fails', async () => {
    const numbers = bulkCollection<{ _id: number }>(connection, 'numbers');
    const failing = createInTransaction(connection)(async (session) => {
      await numbers.insertMany([{ _id: 10 }, { _id: 11 }], { session });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await numbers.countDocuments({ _id: { $gte: 10 } })).toBe(0);
  });

  it('ends at the time limit of the transaction', async () => {
    const numbers = bulkCollection<{ _id: number; square?: number }>(connection, 'numbers');
    // Another transaction holds the document: the write conflicts and is retried until its time limit.
    const holder = await connection.startSession();
    holder.startTransaction();
    await numbers.updateOne({ _id: 1 }, { $set: { square: 7 } }, { session: holder });
    const session = await connection.startSession();
    const change = { updateOne: { filter: { _id: 1 }, update: { $set: { square: 0 } } } };
    const startedAt = performance.now();
    const blocked = session.withTransaction(() => numbers.bulkWrite([change], { session }), {
      timeoutMS: 300,
    });
    await expect(blocked).rejects.toThrow();
    expect(performance.now() - startedAt).toBeGreaterThan(200);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await holder.abortTransaction();
    expect(await numbers.findOne({ _id: 1 })).toEqual({ _id: 1, square: 1 });
    await session.endSession();
    await holder.endSession();
  });
});

describe('the errors of a bulk write, by place', () => {
  it('are not told where no majority has the rest, also if some of it was refused as a duplicate', async () => {
    const numbers = connection.collection<{ _id: number }>('numbers');
    await numbers.insertOne({ _id: 20 });
    const insert = (writeConcern: { w: number | 'majority' }) =>
      writeErrorsOf(() => numbers.insertMany([{ _id: 20 }, { _id: 21 }], { ordered: false, writeConcern }));
    // The write concern needs more members than the replica set has.
    await expect(insert({ w: 2 })).rejects.toThrow();
    await numbers.deleteOne({ _id: 21 });
    expect([...(await insert({ w: 'majority' })).keys()]).toEqual([0]);
  });
});
