import { expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { isMongoUnavailable, writeErrorsOf } from '../../../server/mongo/failures.js';
import { bulkCollection } from '../../../server/mongo/models.js';
import {
  ContendedWriteError,
  createInTransaction,
  untilWritten,
} from '../../../server/mongo/transactions.js';
import { testConnection } from '../../support/database.js';

interface Row {
  _id: number;
  square?: number;
}
const connection = await testConnection();
await connection.createCollection('numbers');

const numbers = () => bulkCollection<Row>(connection, 'numbers');

it('a transaction that never stops conflicting ends before the time of the driver, and is told as one to try again', async () => {
  await numbers().insertOne({ _id: 1, square: 1 });
  const change = { updateOne: { filter: { _id: 1 }, update: { $set: { square: 0 } } } };
  await connection.getClient().withSession(async (holder) => {
    holder.startTransaction();
    await numbers().updateOne({ _id: 1 }, { $set: { square: 7 } }, { session: holder });
    const refused: unknown = await createInTransaction(connection)((session) =>
      numbers().bulkWrite([change], { session }),
    ).catch((error: unknown) => error);
    expect(refused).not.toBeInstanceOf(mongo.MongoOperationTimeoutError);
    expect(isMongoUnavailable(refused)).toBe(true);
    await holder.commitTransaction();
  });
  expect(await numbers().findOne({ _id: 1 })).toEqual({ _id: 1, square: 7 });
});

it('a write that others always forestall is tried eight times, after a pause each, and told as one to try again', async () => {
  const did: string[] = [];
  const note = (what: string) => async (tries: number) => void did.push(`${what} ${tries}`);
  await expect(untilWritten(note('pause'), note('try'))).rejects.toThrow(ContendedWriteError);
  expect(did).toEqual(Array.from({ length: 8 }, (_, tries) => [`pause ${tries}`, `try ${tries}`]).flat());
});

it('the errors of a bulk write, by place are not told where no majority has the rest, also if some of it was refused as a duplicate', async () => {
  const rows = connection.collection<Row>('numbers');
  await rows.insertOne({ _id: 20 });
  const insert = (writeConcern: { w: number | 'majority' }) =>
    writeErrorsOf(() => rows.insertMany([{ _id: 20 }, { _id: 21 }], { ordered: false, writeConcern }));
  // The write concern needs more members than the replica set has.
  await expect(insert({ w: 2 })).rejects.toThrow();
  await rows.deleteOne({ _id: 21 });
  expect([...(await insert({ w: 'majority' })).keys()]).toEqual([0]);
});
