import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { stepsOf } from '../../../server/features/intents/steps.rules.js';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { minute, startMs } from '../../fixtures/intents/intent-states.js';
import { insertIntents, intentDocuments, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let store: IntentStore;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  store = createIntentStore(connection);
});
afterAll(() => connection.close());

it('stores the steps that an older release left out with the next write, though it makes none itself', async () => {
  const attached = { transactionId: 'tx', attachedAt: new Date(startMs + minute) };
  const { steps: _, ...old } = unpaidIntent(1, attached);
  await insertIntents(connection, old);
  const { observations } = old;
  const told = stepsOf(old);
  expect(told).toHaveLength(2);
  const change = { observations: { ...observations, lastAtMs: startMs + 2 * minute } };
  expect(await store.saveProgress({ intent: old, change, pendingAggregation: false })).toBe(true);
  // When the older release writes again, the second step stays as it was told.
  const word = { 'sightings.status': 'pending_anchor', 'sightings.lastAtMs': startMs + 3 * minute };
  await intentDocuments(connection).updateOne({ _id: old._id }, { $set: word });
  const now = await store.findByHash(old._id);
  expect(now?.steps).toEqual(told);
});
