import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type Committed, createCommitted } from '../../../server/features/intents/committed.js';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { createIntentStreamStore } from '../../../server/features/intents/stream-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { waitFor } from '../../support/wait-for.js';

let members: ThreeMembers;
let connection: Connection;
let store: IntentStore;
let committed: Committed;

beforeAll(async () => {
  members = await startThreeMembers();
  connection = await connectMongo({ uri: members.uri });
  store = createIntentStore(connection);
  committed = createCommitted(createIntentStreamStore(connection));
  await prepareCollections(connection);
}, 120_000);
afterAll(async () => {
  await connection?.close();
  await members?.stop();
});

async function asRead(intentHash: string) {
  const intent = await store.findByHash(intentHash);
  if (intent === null) throw new Error('the primary does not have the intent');
  return intent;
}

const notReady = { code: 'NOT_READY', message: expect.stringContaining('has not confirmed') };

describe('what the primary alone has', () => {
  it('is told to nobody before the others have it', async () => {
    const told = unpaidIntent(1);
    const onlyThere = unpaidIntent(2);
    expect(await store.insert(told)).toBe(true);
    expect(await committed(await asRead(told._id))).toEqual(await asRead(told._id));

    const release = await members.holdReplication();
    const intents = connection.getClient().db('limits').collection<{ _id: string }>('intents');
    const byItself = { writeConcern: { w: 1 } };
    const document = await intents.findOne({ _id: told._id });
    await intents.insertOne({ ...document, _id: onlyThere._id, nonceHash: 'another' } as never, byItself);
    const change = { $set: { status: 'settled' }, $inc: { version: 1 } };
    await intents.updateOne({ _id: told._id }, change, byItself);
    for (const { _id } of [told, onlyThere]) {
      await expect(committed(await asRead(_id))).rejects.toMatchObject(notReady);
    }
    await release();
    await waitFor(
      async () => {
        expect(await committed(await asRead(told._id))).toMatchObject({ status: 'settled' });
        expect(await committed(await asRead(onlyThere._id))).toMatchObject({ _id: onlyThere._id });
      },
      { timeout: 30_000 },
    );
  }, 120_000);
});
