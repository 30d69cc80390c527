import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type CacheVersionStore, createCacheVersionStore } from '../../../server/features/cache/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { waitFor } from '../../support/wait-for.js';

let members: ThreeMembers;
let connection: Connection;
let store: CacheVersionStore;

beforeAll(async () => {
  members = await startThreeMembers();
  connection = await connectMongo({ uri: members.uri });
  store = createCacheVersionStore(connection);
  await prepareCollections(connection);
}, 120_000);
afterAll(async () => {
  await connection?.close();
  await members?.stop();
});

describe('an invalidation that the primary alone has', () => {
  it('is learned by no instance before the others have it, since it may be rolled back', async () => {
    const id = 'rates:usdc-ngn';
    expect(await store.increment(id)).toBe(1);
    const release = await members.holdReplication();
    await connection
      .collection<{ _id: string }>('cache_epochs')
      .updateOne({ _id: id }, { $inc: { epoch: 1 } }, { writeConcern: { w: 1 } });
    expect(await store.list()).toEqual([{ id, version: 1 }]);
    await release();
    await waitFor(async () => expect(await store.list()).toEqual([{ id, version: 2 }]), { timeout: 20_000 });
  });
});
