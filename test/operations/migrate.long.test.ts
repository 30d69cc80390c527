import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { startTestApp } from '../support/app.js';
import { runFairlead } from '../support/compiled-service.js';
import { testDatabase } from '../support/database.js';

const configured = { FLEET_FILE: 'fleets/mainnet.example.json', WEBHOOK_KEY: 'ab'.repeat(32) };
const migrate = (uri: string) => runFairlead(['migrate'], { ...configured, MONGODB_URI: uri });

/** Runs the program, which has to succeed. */
async function prepare(uri: string): Promise<void> {
  const { status, stdout, stderr } = await migrate(uri);
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ prepared: true });
}

const [migrated, started] = [testDatabase(), testDatabase()];
const [shared, conflicting] = [testDatabase(), testDatabase()];

/** The name of an index of the intents, which is dropped. */
async function dropIndex(intents: Pick<mongo.Collection, 'indexes' | 'dropIndex'>): Promise<string> {
  const names = (await intents.indexes()).flatMap(({ name = '_id_' }) => (name === '_id_' ? [] : [name]));
  const [name = ''] = names;
  await intents.dropIndex(name);
  return name;
}

describe('the migration', () => {
  it('creates in an empty database what a start would create, and nothing when it is run again', async () => {
    await prepare(migrated.uri);
    const app = await startTestApp({ uri: started.uri });
    await app.close();
    const inventory = await inventoryOf(started.uri);
    expect(await inventoryOf(migrated.uri)).toEqual(inventory);
    await prepare(started.uri);
    expect(await inventoryOf(started.uri)).toEqual(inventory);
  });

  it('puts back an index that is missing, while an instance serves and another one migrates', async () => {
    const app = await startTestApp({ uri: shared.uri });
    try {
      const before = await inventoryOf(shared.uri);
      await dropIndex(app.connection.collection('intents'));
      await Promise.all([1, 2].map(() => prepare(shared.uri)));
      expect(await inventoryOf(shared.uri)).toEqual(before);
      expect((await app.client.request('GET', '/readyz')).status).toBe(200);
    } finally {
      await app.close();
    }
  });

  it('names the index that cannot be built, and ends with 2', async () => {
    const client = await mongo.MongoClient.connect(conflicting.uri);
    await prepare(conflicting.uri);
    const intents = client.db().collection('intents');
    const name = await dropIndex(intents);
    await intents.createIndex({ somethingElse: 1 }, { name });
    await client.close();
    const { status, stdout, stderr } = await migrate(conflicting.uri);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(name);
  });
});

/** All collections with their indexes, as listed by the database. */
async function inventoryOf(uri: string): Promise<string[]> {
  const client = await mongo.MongoClient.connect(uri);
  try {
    const collections = await client.db().collections();
    const indexesOf = async (one: mongo.Collection) =>
      (await one.indexes()).map((index) => `${one.collectionName}.${JSON.stringify(index)}`);
    return (await Promise.all(collections.map(indexesOf))).flat().sort();
  } finally {
    await client.close();
  }
}
