import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MongoMemoryReplSet, MongoMemoryServer } from 'mongodb-memory-server-core';
import { mongo } from 'mongoose';
import { findMongod } from '../find-mongod.js';
import { endLeftover } from './leftover.js';
import { freePort, isFree } from './ports.js';
import { withDatabase } from './uri.js';

export interface RunningMongo {
  /** Names the database asked for, and the replica set. */
  uri: string;
  /** Where it came from, for people: `PATH`, `MONGODB_URI`, … */
  source: string;
  /** Of the mongod started here; absent where MONGODB_URI names a server of someone else's. */
  pid?: number;
  /** Stops what was started here and nothing else; data under `dbPath` stays. */
  stop(): Promise<void>;
}

interface StartOptions {
  /** Data is kept here; without it, in a temporary folder removed by `stop`. */
  dbPath?: string;
  /** Preferred; one kept with the data goes before it, and a free one is used where it is taken. */
  port?: number;
  database?: string;
  /** Starts a mongod of its own even if MONGODB_URI is set. */
  ownProcess?: boolean;
  env?: NodeJS.ProcessEnv;
  say?: (line: string) => void;
}

const setName = 'fairlead';
const launchTimeoutMs = 60_000;
/** Many of these run beside each other on machines of developers: half of memory each, the default, is too much. */
const lightweight = [
  '--wiredTigerCacheSizeGB',
  '0.5',
  '--setParameter',
  'diagnosticDataCollectionEnabled=false',
];

/**
 * A replica set of one member, up and writable; or the one that MONGODB_URI names, untouched.
 * @throws MongoNotFound, or Error when the mongod found cannot be started.
 */
export async function startMongo(options: StartOptions = {}): Promise<RunningMongo> {
  const { database = 'fairlead', ownProcess = false, env = process.env, say } = options;
  const found = await findMongod({
    env: ownProcess ? { ...env, MONGODB_URI: undefined } : env,
    ...(say === undefined ? {} : { say }),
  });
  if (found.kind === 'uri') {
    const uri = options.database === undefined ? found.uri : withDatabase(found.uri, database);
    return { uri, source: 'MONGODB_URI', stop: async () => undefined };
  }

  const binary = { systemBinary: found.path, version: found.version };
  const dbPath = options.dbPath === undefined ? undefined : resolve(options.dbPath);
  const port = dbPath === undefined ? options.port : await prepareData(dbPath, binary, options.port);
  const replicaSet = await MongoMemoryReplSet.create({
    binary,
    instanceOpts: [
      {
        storageEngine: 'wiredTiger',
        launchTimeout: launchTimeoutMs,
        ...(dbPath === undefined ? {} : { dbPath }),
        ...(port === undefined ? {} : { port }),
      },
    ],
    replSet: {
      name: setName,
      args: lightweight,
      // A session of its own: Ctrl-C reaches the whole foreground group, and the database has to stop last.
      spawn: { detached: process.platform !== 'win32' },
    },
  });
  const pid = replicaSet.servers[0]?.instanceInfo?.instance.mongodProcess?.pid;
  return {
    uri: withDatabase(replicaSet.getUri(), database),
    source: `${found.source}, version ${found.version}`,
    ...(pid === undefined ? {} : { pid }),
    stop: async () => {
      await replicaSet.stop({ doCleanup: dbPath === undefined, force: false });
    },
  };
}

/**
 * Makes a folder ready to be started on, and tells the port to start on. A replica set writes its own address into
 * its data, and a member that does not find itself there never becomes primary: so the port is kept beside the
 * data, and where it is taken by now, the address inside is changed first.
 */
async function prepareData(
  dbPath: string,
  binary: { systemBinary: string; version: string },
  preferred?: number,
): Promise<number> {
  await mkdir(dbPath, { recursive: true });
  await endLeftover(dbPath);
  const portFile = `${dbPath}.port`;
  const kept = Number(await readFile(portFile, 'utf8').catch(() => ''));
  if (kept > 0 && (await isFree(kept))) return kept;
  const port = preferred !== undefined && (await isFree(preferred)) ? preferred : await freePort();
  if (existsSync(join(dbPath, 'WiredTiger'))) await changeAddress(dbPath, binary, port);
  await writeFile(portFile, `${port}\n`);
  return port;
}

/** MongoDB's own procedure for a changed host name: start without the replica set, and edit its configuration. */
async function changeAddress(
  dbPath: string,
  binary: { systemBinary: string; version: string },
  port: number,
): Promise<void> {
  const server = await MongoMemoryServer.create({
    binary,
    instance: { dbPath, storageEngine: 'wiredTiger', launchTimeout: launchTimeoutMs },
  });
  const client = new mongo.MongoClient(server.getUri(), { serverSelectionTimeoutMS: 10_000 });
  try {
    await client
      .db('local')
      .collection('system.replset')
      .updateMany({}, { $set: { _id: setName, 'members.0.host': `127.0.0.1:${port}` } });
  } finally {
    await client.close();
    await server.stop({ doCleanup: false, force: false });
  }
}
