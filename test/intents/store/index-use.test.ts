import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { IntentOutcome } from '../../../server/features/intents/intent.js';
import { createPayoutStore } from '../../../server/features/intents/payout-store.js';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { createUnpaidStore } from '../../../server/features/intents/unpaid-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { intentDocuments, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let store: IntentStore;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  store = createIntentStore(connection);
  await prepareCollections(connection);
  await store.insertAll(
    Array.from({ length: 200 }, (_, index) => ({
      ...unpaidIntent(index),
      ...(index % 2 === 0 ? { transactionId: `tx${index}` } : { claimedId: `tx${index - 1}` }),
    })),
  );
});
afterAll(() => connection.close());

/** The number of documents that the queries of `work` read, according to MongoDB's profiler. */
async function documentsRead(work: () => Promise<unknown>): Promise<number> {
  const db = connection.getClient().db(connection.name);
  await db.setProfilingLevel('all');
  await work();
  await db.setProfilingLevel('off');
  const profiled = await db
    .collection('system.profile')
    .find({ ns: `${connection.name}.intents` })
    .toArray();
  await db.collection('system.profile').drop();
  expect(profiled.length).toBeGreaterThan(0);
  return profiled.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
}

it('finds the holder and the claimants of a transaction without reading other intents', async () => {
  const wanted = { anchorId: 'harbour', transactionId: 'tx100' };
  expect(await store.findByTransaction(wanted.anchorId, wanted.transactionId)).not.toBeNull();
  expect(await documentsRead(() => store.findByTransaction('harbour', 'tx100'))).toBe(1);
  expect(await documentsRead(() => store.touchHolder('harbour', 'tx100'))).toBe(1);
  expect(await documentsRead(() => store.findFirstClaimant(wanted))).toBe(1);
  expect(await documentsRead(() => store.findByTransaction('harbour', 'unknown'))).toBe(0);
});

it('lists the unpaid intents to remove without reading other intents', async () => {
  const unpaid = createUnpaidStore(connection);
  const intents = connection.collection<{ _id: string }>('intents');
  const outcome = { kind: 'expired', reason: 'no_transaction', recordedAt: new Date(0) };
  const expired = { $set: { status: 'expired', open: false, outcome } };
  const ended = (await intents.find().sort({ _id: -1 }).limit(3).toArray()).map(({ _id }) => _id);
  await intents.updateMany({ _id: { $in: ended } }, expired);
  const list = () => unpaid.listEnded('no_transaction', new Date(1), 500, { asksLedger: true });
  expect((await list()).sort()).toEqual(ended.sort());
  expect(await documentsRead(list)).toBe(3);
});

it('lists the payouts of an anchor in a corridor without reading other intents', async () => {
  const payouts = createPayoutStore(connection);
  const recordedAt = new Date('2026-11-21T12:00:00.000Z');
  const settled = (amountOut: string, changes: object = {}) => ({
    $set: {
      status: 'settled',
      amountIn: '100',
      outcome: { kind: 'settled', reason: 'completed', recordedAt, amountOut },
      scored: true,
      ...changes,
    },
  });
  type Stored = { _id: string; anchorId: string; corridor: string };
  const intents = connection.collection<Stored>('intents');
  const found = await intents.find().limit(3).toArray();
  const [one, other, unscored] = found as [Stored, Stored, Stored];
  await intents.updateOne({ _id: one._id }, settled('150000.00'));
  await intents.updateOne({ _id: other._id }, settled('1', { anchorId: 'another' }));
  await intents.updateOne({ _id: unscored._id }, settled('2', { scored: false }));
  const query = { anchorId: one.anchorId, corridor: one.corridor, since: new Date(0), limit: 200 };
  expect(await payouts.listPayouts(query)).toEqual([
    { paidAt: recordedAt, amountIn: '100', amountOut: '150000.00' },
  ]);
  expect(await documentsRead(() => payouts.listPayouts(query))).toBe(2);
});

it('looks for unpaid intents to remove without reading those whose disputes were accepted', async () => {
  const outcome = { kind: 'expired', reason: 'never_funded', recordedAt: new Date(0) } as IntentOutcome;
  const ended = [1_000, 1_001, 1_002].map((index) =>
    unpaidIntent(index, { status: 'expired', outcome, open: false }),
  );
  await store.insertAll(ended);
  await intentDocuments(connection).updateMany(
    { 'outcome.recordedAt': new Date(0) },
    { $set: { unfolded: false } },
  );
  const unpaid = createUnpaidStore(connection);
  const look = () => unpaid.listEnded('never_funded', new Date(1), 10, { asksLedger: true });
  expect(await documentsRead(look)).toBe(3);
  await createInTransaction(connection)((session) =>
    store.applyDisputeEffect(session, ended[0]?._id ?? '', 'counts_not_filled'),
  );
  expect(await documentsRead(look)).toBe(2);
});
