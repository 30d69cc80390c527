import { afterAll, describe, expect, it } from '@jest/globals';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isDuplicateKey, isMongoUnavailable } from '../../../server/mongo/failures.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { waitFor } from '../../support/wait-for.js';
import { startThreeMembers } from './three-members.js';

const known = unpaidIntent(1);
const another = unpaidIntent(2);

const members = await startThreeMembers();
afterAll(members.stop);
const connection = await connectMongo({ uri: `${members.uri}&readConcernLevel=majority` });
afterAll(() => connection.close());
const store = createIntentStore(connection);
await prepareCollections(connection);
await store.insert(known);

/** What another instance has written, of which the primary alone knows yet. */
async function writeOnPrimaryAlone(): Promise<void> {
  const intents = connection.getClient().db('lagging').collection<{ _id: string }>('intents');
  const alone = { writeConcern: { w: 1 } };
  await intents.updateOne({ _id: known._id }, { $set: { amountIn: '1' }, $inc: { version: 1 } }, alone);
  const document = await intents.findOne({ _id: known._id });
  await intents.insertOne({ ...document, _id: another._id, nonceHash: 'another' } as never, alone);
}

/** The two writes that this refuses, in one transaction. */
function expectRefusals(): Promise<void> {
  return createInTransaction(connection)(async (session) => {
    const change = { before: known, after: { ...known, amountIn: '2' } };
    expect(await store.saveProgress(change, session)).toBe(false);
    const insert = connection.collection('intents').insertOne({ _id: another._id as never }, { session });
    await insert.catch((error: unknown) => expect(isDuplicateKey(error)).toBe(true));
  });
}

describe('what has refused a write, while members lag behind the primary', () => {
  it('is never read as it was before, and is told as soon as a majority has it', async () => {
    const release = await members.holdReplication();
    await writeOnPrimaryAlone();
    await expectRefusals().catch(() => undefined);
    expect(await store.findByHash(known._id)).toMatchObject({ amountIn: null, version: known.version });
    expect(await store.findByHash(another._id)).toBeNull();

    const first = await store.findCurrent(another._id).catch((error: unknown) => error);
    expect(isMongoUnavailable(first)).toBe(true);
    await release();
    const told = { amountIn: '1', version: known.version + 1 };
    const current = await waitFor(() => store.findCurrent(known._id), { timeout: 30_000 });
    expect(current).toMatchObject(told);
    expect(await store.findCurrent(another._id)).toMatchObject({ _id: another._id });
    // Now that it was told, a find tells the same.
    expect(await store.findByHash(known._id)).toMatchObject(told);
  }, 120_000);
});
