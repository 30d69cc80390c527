import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createDisputeStore, type DisputeDocument } from '../../../server/features/disputes/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo({ uri: `${uri}&monitorCommands=true` });
});
afterAll(() => connection.close());

function filed(_id: string, intentHash: string, filedBy: DisputeDocument['filedBy']) {
  const createdAt = new Date('2026-11-21T00:00:00.000Z');
  return { _id, intentHash, filedBy, status: 'open', createdAt, resolvedAt: null } as DisputeDocument;
}

it('reads the disputes of all who ask at the same time by one command, and tells each the latest of its intent', async () => {
  const store = createDisputeStore(connection);
  await connection
    .collection<DisputeDocument>('disputes')
    .insertMany([filed('d1', 'one', 'account'), filed('d3', 'two', 'account'), filed('d2', 'one', 'anchor')]);
  let sent = 0;
  connection.getClient().on('commandStarted', ({ commandName }) => {
    if (commandName === 'find') sent += 1;
  });
  const asked = [...Array.from({ length: 50 }, () => 'one'), 'two', 'three'];
  const told = await Promise.all(asked.map((intentHash) => store.disputeOf(intentHash)));
  expect(told.map((dispute) => dispute?.disputeId)).toEqual([...Array(50).fill('d2'), 'd3', undefined]);
  expect(told[0]).toEqual({
    disputeId: 'd2',
    status: 'open',
    createdAt: '2026-11-21T00:00:00.000Z',
    resolvedAt: null,
  });
  expect(sent).toBe(1);
});
