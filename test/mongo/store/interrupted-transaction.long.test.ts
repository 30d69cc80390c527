import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ClientSession, Collection, Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { bulkCollection } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

interface Row {
  _id: string;
  n: number;
}
type Rows = Collection<Row>;

/** MongoDB itself ends abandoned transactions only after 60 s. */
const withinMs = 15_000;

let mongo: PrivateMongo;
let connection: Connection;

beforeAll(async () => {
  mongo = await privateMongo();
  connection = await connectMongo({ uri: mongo.uri });
});
afterAll(async () => {
  await connection?.close();
  await mongo?.stop();
});

it.each([
  [
    'single writes',
    (rows: Rows, _id: string, session: ClientSession) =>
      rows.updateOne({ _id }, { $inc: { n: 1 } }, { session }),
  ],
  [
    'bulk writes',
    (rows: Rows, _id: string, session: ClientSession) =>
      bulkCollection<Row>(connection, rows.collectionName).bulkWrite(
        [{ updateOne: { filter: { _id }, update: { $inc: { n: 1 } } } }],
        { session },
      ),
  ],
])(
  'transactions of %s that are interrupted by a stop of the database leave no locks afterwards',
  async (how, write) => {
    const inTransaction = createInTransaction(connection);
    const rows = connection.collection<Row>(`${how} ${randomBytes(4).toString('hex')}`);
    const ids = ['one', 'two', 'three'];
    await rows.insertMany(ids.map((_id) => ({ _id, n: 0 })));
    let begun = 0;
    const interrupted = ids.map((_id) =>
      inTransaction(async (session) => {
        await rows.updateOne({ _id }, { $inc: { n: 1 } }, { session });
        begun += 1;
        await waitFor(async () => expect(await begun).toBe(ids.length), { timeout: 5_000 });
        mongo.freeze();
        await write(rows, _id, session);
      }).catch((error: unknown) => error),
    );
    const errors = await Promise.all(interrupted);
    mongo.thaw();
    const wentOnAt = performance.now();
    expect(errors.map(isMongoUnavailable)).toEqual([true, true, true]);
    for (const _id of ids) {
      const touch = () => rows.updateOne({ _id }, { $set: { touched: true } }).then(() => 'done', String);
      await waitFor(async () => expect(await touch()).toBe('done'), { timeout: withinMs, interval: 100 });
    }
    expect(performance.now() - wentOnAt).toBeLessThan(withinMs);
    // A commit that was already under way may have arrived; then all of its transaction has.
    expect(await rows.find({ n: { $nin: [0, 2] } }).toArray()).toEqual([]);
    // The sessions that were ended are not reused for other transactions.
    await Promise.all(
      ids.map((_id) => inTransaction((session) => rows.updateOne({ _id }, { $inc: { n: 1 } }, { session }))),
    );
    expect(await rows.countDocuments({ n: { $in: [1, 3] } })).toBe(3);
  },
  60_000,
);
