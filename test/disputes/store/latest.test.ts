import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createDisputeStore, type DisputeDocument } from '../../../server/features/disputes/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo({ uri });
});
afterAll(() => connection.close());

function filed(_id: string, intentHash: string, filedBy: DisputeDocument['filedBy']) {
  const createdAt = new Date('2026-11-21T00:00:00.000Z');
  return { _id, intentHash, filedBy, status: 'open', createdAt, resolvedAt: null } as DisputeDocument;
}

it('tells each who asks the latest dispute of the intent', async () => {
  const store = createDisputeStore(connection);
  await connection
    .collection<DisputeDocument>('disputes')
    .insertMany([filed('d1', 'one', 'account'), filed('d3', 'two', 'account'), filed('d2', 'one', 'anchor')]);
  const asked = ['one', 'two', 'three'];
  const told = await Promise.all(asked.map((intentHash) => store.disputeOf(intentHash)));
  expect(told.map((dispute) => dispute?.disputeId)).toEqual(['d2', 'd3', undefined]);
  expect(told[0]).toEqual({
    disputeId: 'd2',
    status: 'open',
    createdAt: '2026-11-21T00:00:00.000Z',
    resolvedAt: null,
  });
});
