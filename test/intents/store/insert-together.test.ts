import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { intentDocuments, unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let store: IntentStore;
let used = 0;

beforeAll(async () => {
  connection = await connectMongo({ uri: `${uri}&monitorCommands=true` });
  store = createIntentStore(connection);
  await prepareCollections(connection);
});
afterAll(() => connection.close());
beforeEach(() => intentDocuments(connection).deleteMany({}));

function newIntents(count: number) {
  used += count;
  return Array.from({ length: count }, (_, place) => unpaidIntent(used - place));
}

/** Counts the commands of this name from now on. */
function commandsSent(command: string): () => number {
  let sent = 0;
  connection.getClient().on('commandStarted', ({ commandName }) => {
    if (commandName === command) sent += 1;
  });
  return () => sent;
}

it('inserts intents that arrive at the same time together, at most 100 at a time', async () => {
  const intents = newIntents(250);
  const sent = commandsSent('insert');
  const results = await Promise.all(intents.map((each) => store.insert(each)));
  expect(results).toEqual(Array(250).fill(true));
  expect(sent()).toBe(3);
  expect(await store.findByHashes(intents.map(({ _id }) => _id))).toHaveLength(250);
});

it('tells each of those inserted together whether it was stored: a known one does not refuse the others', async () => {
  const [first, twice, other, ...rest] = newIntents(40) as [Intent, Intent, Intent, ...Intent[]];
  await store.insert(first);
  const attached = (intent: Intent) => ({ ...intent, transactionId: 'held' });
  const intents = [rest[0], first, attached(twice), attached(other), twice, ...rest.slice(1)] as Intent[];
  // One insert is under way, so all others are sent together.
  const results = await Promise.all(intents.map((each) => store.insert(each)));
  const refused = [first, attached(other), twice];
  expect(intents.filter((_, place) => !results[place])).toEqual(refused);
  const stored = await intentDocuments(connection).countDocuments({});
  expect(stored).toBe(1 + intents.length - refused.length);
});
