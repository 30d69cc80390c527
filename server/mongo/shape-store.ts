import type { Connection } from 'mongoose';
import { OperatorError } from '../errors.js';

/** Names what is stored and how: raised by every change of a stored name, or of what a stored member means. */
export const databaseShape = 6;

const shapeCollection = 'database_shape';

interface ShapeDocument {
  _id: 'shape';
  shape: number;
}

/** A database that this version does not serve. */
export class ShapeError extends OperatorError {
  override readonly name = 'ShapeError';
}

/** Throws ShapeError unless the database has the shape of this version. Changes nothing. */
export const requireShape = (connection: Connection) => checkShape(connection, readShape);

/**
 * Gives an empty database the shape of this version, before anything else is created in it. Throws ShapeError for one
 * that has another shape, or any other collection without a shape.
 */
export const claimShape = (connection: Connection) => checkShape(connection, writeShape);

async function checkShape(connection: Connection, shapeOfEmpty: typeof readShape): Promise<void> {
  await requireReplicaSet(connection);
  const names = (await connection.listCollections()).map(({ name }) => name);
  // The collection of the shape alone shows nothing: MongoDB creates it a moment before the shape is in it.
  const held = names.filter((name) => !name.startsWith('system.') && name !== shapeCollection).sort();
  // Read after the list: a collection that another instance has created shows that it wrote the shape before.
  const found = await (held.length === 0 ? shapeOfEmpty : readShape)(connection);
  if (found !== databaseShape) throw new ShapeError(refusal(connection, found, held));
}

async function writeShape(connection: Connection): Promise<number | undefined> {
  const insert = { $setOnInsert: { shape: databaseShape } };
  const options = { upsert: true, returnDocument: 'after' } as const;
  return (await shapes(connection).findOneAndUpdate({ _id: 'shape' }, insert, options))?.shape;
}

/** Reads by an update that changes nothing, since a majority read may be older than the list of collections. */
async function readShape(connection: Connection): Promise<number | undefined> {
  return (await shapes(connection).findOneAndUpdate({ _id: 'shape' }, { $max: { shape: 0 } }))?.shape;
}

function shapes(connection: Connection) {
  return connection.collection<ShapeDocument>(shapeCollection);
}

function refusal({ name, host, port }: Connection, found: number | undefined, held: string[]): string {
  const database = `The database ${name} at ${host}:${port}`;
  if (found !== undefined) {
    return (
      `${database} has shape ${found}, and this version of Fairlead has shape ${databaseShape}. ` +
      'Run the version that wrote it, or name another database in MONGODB_URI.'
    );
  }
  if (held.length === 0)
    return `${database} is empty. Name the right one in MONGODB_URI; \`migrate\` prepares a new one.`;
  return (
    `${database} was not made by this version of Fairlead: it holds ${held.join(', ')}. ` +
    'Name the right one, or an empty one, in MONGODB_URI.'
  );
}

/** A member of a set names it, and a router of a sharded cluster says `isdbgrid`. Others have no transactions. */
async function requireReplicaSet({ db, host, port }: Connection): Promise<void> {
  const { setName, msg } = (await db?.admin().command({ hello: 1 })) ?? {};
  if (setName === undefined && msg !== 'isdbgrid')
    throw new ShapeError(
      `MongoDB at ${host}:${port} is not a replica set, without which it has no transactions. ` +
        'Start it with --replSet rs0, and run rs.initiate() there once.',
    );
}
