import { afterEach, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { claimShape, databaseShape, requireShape, ShapeError } from '../../../server/mongo/shape-store.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const open: Connection[] = [];

async function connect(): Promise<Connection> {
  const connection = await connectMongo({ uri });
  open.push(connection);
  return connection;
}
afterEach(async () => {
  await open[0]?.dropDatabase();
  for (const connection of open.splice(0)) await connection.close();
});

const shapes = (connection: Connection) =>
  connection.collection<{ _id: string; shape: number }>('database_shape');
async function everything(connection: Connection) {
  const names = (await connection.listCollections()).map(({ name }) => name);
  return Promise.all(names.map(async (name) => [name, await connection.collection(name).find().toArray()]));
}

describe('the shape of a database', () => {
  it.each(['new', 'half-made'])('is claimed once by several instances, in a %s database', async (which) => {
    const instances = await Promise.all(Array.from({ length: 4 }, connect));
    // A process was killed when the collection was there, and the shape not yet.
    if (which === 'half-made') await instances[0]?.createCollection('database_shape');
    const claim = async (connection: Connection) => {
      await claimShape(connection);
      await connection.createCollection('intents').catch(() => undefined);
    };
    await Promise.all(instances.map(claim));
    for (const connection of instances) await requireShape(connection);
    const [one] = instances as [Connection];
    expect(await shapes(one).find().toArray()).toEqual([{ _id: 'shape', shape: databaseShape }]);
  });

  it.each([
    ['of another version', { database_shape: { _id: 'shape', shape: databaseShape + 1 } }, /has shape/],
    ['without one', { intents: { _id: 'a' }, anchors: { _id: 'b' } }, /holds anchors, intents/],
  ])('is refused, and nothing is changed, in a database %s', async (_which, held, says) => {
    const connection = await connect();
    for (const [name, document] of Object.entries(held))
      await connection.collection<{ _id: string }>(name).insertOne(document);
    const before = await everything(connection);
    for (const look of [claimShape, requireShape]) {
      const refused = look(connection);
      await expect(refused).rejects.toThrow(ShapeError);
      await expect(refused).rejects.toThrow(says);
      await expect(refused).rejects.toThrow(`${connection.name} at ${connection.host}:${connection.port}`);
    }
    expect(await everything(connection)).toEqual(before);
  });

  it('is required by commands, which do not give it to an empty database', async () => {
    const connection = await connect();
    await expect(requireShape(connection)).rejects.toThrow(/is empty/);
    expect(await everything(connection)).toEqual([]);
  });
});
