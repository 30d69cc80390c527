import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Connection, Schema } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { defineModel, prepareCollections } from '../../../server/mongo/models.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { waitFor } from '../../support/wait-for.js';

const schema = new Schema({ amount: Number });
schema.index({ amount: 1 }, { name: 'by_amount' });

let members: ThreeMembers;
let connection: Connection;

beforeAll(async () => {
  members = await startThreeMembers();
  connection = await connectMongo({ uri: members.uri });
  const documents = Array.from({ length: 5_000 }, (_, amount) => ({ amount }));
  await connection.collection('payments').insertMany(documents);
}, 120_000);
afterAll(async () => {
  await connection?.close();
  await members?.stop();
}, 60_000);

it('an index is built by two of three members while the third is away', async () => {
  await members.killPrimary();
  const model = defineModel(connection, 'payments', schema);
  await waitFor(
    async () => {
      try {
        await prepareCollections(connection);
      } catch (error) {
        // Retries until there is a primary again, as a start does.
        if (!isMongoUnavailable(error)) throw error;
        throw new Error('no primary yet', { cause: error });
      }
    },
    { timeout: 40_000, interval: 500 },
  );
  const names = (await model.collection.indexes()).map(({ name }) => name);
  expect(names).toEqual(['_id_', 'by_amount']);
}, 60_000);
