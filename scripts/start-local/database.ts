import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { connectMongo } from '../../server/mongo/connection.js';
import { claimShape, ShapeError } from '../../server/mongo/shape-store.js';
import { type RunningMongo, startMongo } from '../mongod/replica-set.js';
import { claimFolder } from './data-folder.js';

/** MongoDB on the data of the folder, which is put aside first if another version of Fairlead wrote it. */
export async function startDatabase(folder: string, say: (line: string) => void): Promise<RunningMongo> {
  const options = { dbPath: join(folder, 'mongo'), say };
  const mongo = await startMongo(options);
  if (mongo.pid === undefined || (await isOurs(mongo.uri))) return mongo;
  await mongo.stop();
  const aside = freeName(folder);
  await rename(folder, aside);
  await claimFolder(folder);
  say(`The data in ${folder} was written by another version of Fairlead; it is now in ${aside}.`);
  return startMongo(options);
}

async function isOurs(uri: string): Promise<boolean> {
  const connection = await connectMongo({ uri });
  try {
    await claimShape(connection);
    return true;
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  } finally {
    await connection.close();
  }
}

/** `data-1`, or the first of its like that is free. */
function freeName(folder: string): string {
  let number = 1;
  while (existsSync(`${folder}-${number}`)) number += 1;
  return `${folder}-${number}`;
}
