import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createDisputeStore } from '../../../server/features/disputes/store.js';
import type { Intent, IntentOutcome } from '../../../server/features/intents/intent.js';
import { nothingObserved } from '../../../server/features/intents/settle-time.rules.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { createRemoveUnpaid } from '../../../server/features/intents/unpaid-removal.js';
import { createUnpaidStore } from '../../../server/features/intents/unpaid-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { type ClientSession, createInTransaction } from '../../../server/mongo/transactions.js';
import { insertIntents, intentDocuments, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 21, 12);
const { uri } = testDatabase();
let connection: Connection;
let documents: ReturnType<typeof intentDocuments>;
let ids = 0;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  createUnpaidStore(connection);
  createDisputeStore(connection);
  await prepareCollections(connection);
  documents = intentDocuments(connection);
});
afterAll(() => connection.close());
beforeEach(async () => {
  await documents.deleteMany({});
  await connection.collection('disputes').deleteMany({});
});

/** An intent with this outcome, recorded this many days and a moment ago, which the aggregation has processed. */
async function ended(
  kind: IntentOutcome['kind'],
  reason: IntentOutcome['reason'],
  daysAgo: number,
  changes: Partial<Intent> = {},
): Promise<string> {
  const recordedAt = new Date(now - daysAgo * dayMs - 1);
  const outcome = { kind, reason, recordedAt, settleSeconds: null, shortfallPpb: null, amountOut: null };
  const intent = unpaidIntent(ids++, { status: kind, outcome, open: false, ...changes });
  await insertIntents(connection, intent);
  await documents.updateOne({ _id: intent._id }, { $set: { unfolded: false } });
  return intent._id;
}

function remove({ mayGoOn = (): boolean => true, asksLedger = true } = {}): Promise<number> {
  const { disputedAmong } = createDisputeStore(connection);
  const store = createUnpaidStore(connection);
  return createRemoveUnpaid({ store, disputedAmong, asksLedger, clock: () => now })(mayGoOn);
}

const kept = async () =>
  (await documents.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);

describe('unpaid intents', () => {
  it.each([
    ['no_transaction', 3],
    ['never_funded', 31],
    ['abandoned', 31],
  ] as const)('that ended as %s leave %i days later, and not before', async (reason, days) => {
    const transactionId = reason === 'no_transaction' ? {} : { transactionId: `tx ${reason}` };
    await ended('expired', reason, days, transactionId);
    const young = await ended('expired', reason, days - 1);
    expect(await remove()).toBe(1);
    expect(await kept()).toEqual([young]);
  });

  it('that release 2.3.0 stored, without a client, leave too', async () => {
    const hash = await ended('expired', 'no_transaction', 4);
    await documents.updateOne({ _id: hash }, { $unset: { client: '' } });
    expect(await remove()).toBe(1);
  });

  it('leave in many batches; a run that has to stop goes on with the next one', async () => {
    for (let count = 0; count < 1_200; count += 300) {
      const recordedAt = new Date(now - 4 * dayMs);
      const outcome = { kind: 'expired', reason: 'no_transaction', recordedAt } as IntentOutcome;
      const some = Array.from({ length: 300 }, () =>
        unpaidIntent(ids++, { status: 'expired', outcome, open: false }),
      );
      await insertIntents(connection, ...some);
    }
    await documents.updateMany({}, { $set: { unfolded: false } });
    let turns = 0;
    expect(await remove({ mayGoOn: () => turns++ < 1 })).toBe(500);
    expect(await remove()).toBe(700);
    expect(await kept()).toEqual([]);
  });

  it('stay for good if they were disputed, and count for no client any more', async () => {
    const hash = await ended('expired', 'never_funded', 40, { transactionId: 'tx1' });
    const id = `dsp_${'0'.repeat(36)}`;
    await connection
      .collection('disputes')
      .insertOne({ _id: id as never, intentHash: hash, status: 'rejected' });
    const store = createUnpaidStore(connection);
    expect(await store.countUnpaid(10)).toBe(1);
    expect(await remove()).toBe(0);
    expect(await remove()).toBe(0);
    expect(await kept()).toEqual([hash]);
    expect(await store.countUnpaid(10)).toBe(0);
  });

  it('count for no client any more once a dispute of them was accepted', async () => {
    const hash = await ended('expired', 'never_funded', 40, { transactionId: 'tx2' });
    const { applyDisputeEffect } = createIntentStore(connection);
    const accept = (session: ClientSession) => applyDisputeEffect(session, hash, 'counts_not_filled');
    expect(await createInTransaction(connection)(accept)).toBe(true);
    expect(await createUnpaidStore(connection).countUnpaid(10)).toBe(0);
    expect(await remove()).toBe(0);
    expect(await kept()).toEqual([hash]);
  });

  it('stay while the ledger may still show who paid, and leave where no ledger is configured', async () => {
    const waiting = { claimedId: 'tx', lookUpDue: new Date(now + dayMs) };
    const hash = await ended('expired', 'no_transaction', 5, waiting);
    expect(await remove()).toBe(0);
    expect(await createUnpaidStore(connection).remove([hash], { asksLedger: true })).toBe(0);
    expect(await kept()).toEqual([hash]);
    expect(await remove({ asksLedger: false })).toBe(1);
  });

  it('stay while the aggregation has not been to them', async () => {
    const hash = await ended('expired', 'never_funded', 40);
    await documents.updateOne({ _id: hash }, { $set: { unfolded: true } });
    expect(await remove()).toBe(0);
    expect(await kept()).toEqual([hash]);
  });
});

it('never removes an intent that is open, was paid, or whose outcome counts', async () => {
  const paid = { observations: { ...nothingObserved, firstAtMs: 1, fundedAtMs: 2 } };
  const stays = [
    await ended('settled', 'completed', 400, { transactionId: 'a', ...paid }),
    await ended('failed', 'refunded', 400, { transactionId: 'b', ...paid }),
    await ended('expired', 'not_collected', 400, { transactionId: 'c', ...paid }),
    await ended('expired', 'never_funded', 400, { transactionId: 'd', disputeEffect: 'counts_not_filled' }),
  ];
  const open = unpaidIntent(ids++, { transactionId: 'e', createdAt: new Date(0), deadline: new Date(1) });
  await insertIntents(connection, open);
  expect(await remove()).toBe(0);
  expect((await kept()).sort()).toEqual([...stays, open._id].sort());
});
