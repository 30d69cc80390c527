import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type RunningMongo, startMongo } from '../../../scripts/mongod/replica-set.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { type MongoProxy, startMongoProxy } from '../../fixtures/disputes/database-proxy.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { waitFor } from '../../support/wait-for.js';

let folder: string;
let dbPath: string;
let mongod: RunningMongo;
let proxy: MongoProxy;
let connection: Connection;
let store: IntentStore;
let used = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-lost-inserts-'));
  dbPath = join(folder, 'mongo');
  mongod = await startMongo({ ownProcess: true, dbPath, database: 'lost' });
  proxy = await startMongoProxy(mongod.uri);
  connection = await connectMongo({ uri: proxy.uri });
  store = createIntentStore(connection);
  await prepareCollections(connection);
});
afterEach(async () => {
  await connection?.close();
  await proxy?.stop();
  await mongod?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function newIntents(count: number): Intent[] {
  used += count;
  return Array.from({ length: count }, (_, place) => unpaidIntent(used - place));
}

async function storedOf(intents: readonly Intent[]): Promise<string[]> {
  return (await store.findByHashes(intents.map(({ _id }) => _id))).map(({ _id }) => _id);
}

/** Inserts all these intents at once. Returns the hashes of the acknowledged ones, and the errors of the others. */
async function insertAtOnce(intents: readonly Intent[]) {
  const results = await Promise.allSettled(intents.map((each) => store.insert(each)));
  const acknowledged = intents.filter((_, place) => {
    const result = results[place];
    return result?.status === 'fulfilled' && result.value;
  });
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  return { acknowledged: acknowledged.map(({ _id }) => _id), errors };
}

it('acknowledges only what is stored where the connection is lost under a batch', async () => {
  const intents = newIntents(260);
  // The command arrives, but its answer is lost.
  proxy.before(['insert', 'intents'], () => setImmediate(() => proxy.die(3_000)));
  const { acknowledged, errors } = await insertAtOnce(intents);
  expect(acknowledged.length + errors.length).toBe(intents.length);
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(isMongoUnavailable(error)).toBe(true);
  await waitFor(async () => expect(await store.insert(newIntents(1)[0] as Intent)).toBe(true));
  const stored = await storedOf(intents);
  expect(stored).toEqual(expect.arrayContaining(acknowledged));
  // When sent again, an intent that was stored is distinguished from one that was not.
  const again = await insertAtOnce(intents);
  expect(again.errors).toEqual([]);
  expect([...stored, ...again.acknowledged].sort()).toEqual(intents.map(({ _id }) => _id).sort());
});

it('acknowledges a batch whose answer was lost once a retry has got it', async () => {
  const intents = newIntents(60);
  proxy.before(['insert', 'intents'], () => setImmediate(() => proxy.die(50)));
  const { acknowledged, errors } = await insertAtOnce(intents);
  expect([acknowledged.length, errors]).toEqual([60, []]);
  expect(await storedOf(intents)).toHaveLength(60);
});

it.each([1, 2, 3])('keeps all that was acknowledged before mongod was killed (%i)', async (round) => {
  const { pid } = mongod;
  if (pid === undefined) throw new Error('the mongod started has no process id');
  const acknowledged: string[] = [];
  let failures = 0;
  let killed = false;
  const writer = async () => {
    while (!killed || failures === 0) {
      const [intent] = newIntents(1) as [Intent];
      try {
        if (await store.insert(intent)) acknowledged.push(intent._id);
      } catch (error) {
        expect(isMongoUnavailable(error)).toBe(true);
        failures += 1;
      }
    }
  };
  const writers = Promise.all(Array.from({ length: 32 }, writer));
  // The kill comes in the middle of a batch, after some inserts were answered.
  await waitFor(() => expect(acknowledged.length).toBeGreaterThan(200 * round));
  await new Promise<void>((resolve) => {
    proxy.before(['insert', 'intents'], () => {
      process.kill(pid, 'SIGKILL');
      killed = true;
      resolve();
    });
  });
  await writers;
  await connection.close();
  await mongod.stop();
  mongod = await startMongo({ ownProcess: true, dbPath, database: 'lost' });
  connection = await connectMongo({ uri: mongod.uri });
  store = createIntentStore(connection);
  const found = (
    await connection
      .collection<{ _id: string }>('intents')
      .find({}, { projection: { _id: 1 } })
      .toArray()
  ).map(({ _id }) => _id);
  expect(new Set(found).size).toBe(found.length);
  expect(acknowledged.filter((hash) => !found.includes(hash))).toEqual([]);
});
