import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { clearLockedPorts } from 'get-port';
import { MongoMemoryReplSet, MongoMemoryServer } from 'mongodb-memory-server-core';
import { MongoMemoryReplSetStates } from 'mongodb-memory-server-core/lib/MongoMemoryReplSet.js';
import { mongo } from 'mongoose';
import { findMongod } from '../find-mongod.js';
import { freePort } from '../lib/free-port.js';
import { endLeftover } from './processes.js';
import { withDatabase } from './uri.js';

export interface RunningMongo {
  /** Names the database asked for, and the replica set. */
  uri: string;
  /** Where the binary or server was found, for display: `PATH`, `MONGODB_URI`, … */
  source: string;
  /** Process id of the mongod started here; absent if MONGODB_URI names an existing server. */
  pid?: number;
  /** Calls the listener once if that mongod ends without having been stopped here. */
  onEnded(listener: () => void): void;
  /** Stops what was started here and nothing else; data under `dbPath` stays. */
  stop(): Promise<void>;
}

interface StartOptions {
  /** The folder of the data; without it, a temporary folder that `stop` removes. */
  dbPath?: string;
  database?: string;
  /** Starts a mongod of its own even if MONGODB_URI is set. */
  ownProcess?: boolean;
  say?: (line: string) => void;
}

/**
 * Differs from its base class twice. It starts on the given port or fails, instead of quietly taking another port. And
 * it does not reconfigure a set that an earlier run initiated: mongod refuses that while it is still reading the
 * configuration from its data (seen after a kill, code 109, ConfigurationInProgress).
 */
class ReplicaSet extends MongoMemoryReplSet {
  initiated = false;

  protected override getInstanceOpts(...args: Parameters<MongoMemoryReplSet['getInstanceOpts']>) {
    return { ...super.getInstanceOpts(...args), portGeneration: false };
  }

  protected override async _initReplSet(): Promise<void> {
    if (!this.initiated) return super._initReplSet();
    await this._waitForPrimary(launchTimeoutMs, 'existing data');
    this.stateChange(MongoMemoryReplSetStates.running);
  }
}

interface Binary {
  systemBinary: string;
  version: string;
}

interface PreparedData {
  port: number;
  /** The data holds a replica set already, with `port` in its configuration. */
  initiated: boolean;
}

const setName = 'fairlead';
const launchTimeoutMs = 60_000;
/** Several may run on one developer's machine: the default cache of half the memory each is too much. */
const lightweight = [
  '--wiredTigerCacheSizeGB',
  '0.5',
  '--setParameter',
  'diagnosticDataCollectionEnabled=false',
  // A process that is killed inside a transaction holds what that wrote for so long, instead of a minute.
  '--setParameter',
  'transactionLifetimeLimitSeconds=5',
];

/**
 * A replica set of one member, up and writable; or the one that MONGODB_URI names, untouched.
 * @throws MongoNotFound, or Error when the mongod found cannot be started.
 */
export async function startMongo(options: StartOptions = {}): Promise<RunningMongo> {
  const { database = 'fairlead', ownProcess = false, say } = options;
  const found = await findMongod({
    env: ownProcess ? { ...process.env, MONGODB_URI: undefined } : process.env,
    ...(say === undefined ? {} : { say }),
  });
  if (found.kind === 'uri') {
    const uri = options.database === undefined ? found.uri : withDatabase(found.uri, database);
    return { uri, source: 'MONGODB_URI', onEnded: () => undefined, stop: async () => undefined };
  }

  const binary = { systemBinary: found.path, version: found.version };
  const dbPath = options.dbPath === undefined ? undefined : resolve(options.dbPath);
  const data = dbPath === undefined ? undefined : await prepareData(dbPath, binary);
  const replicaSet = new ReplicaSet({
    binary,
    instanceOpts: [
      {
        storageEngine: 'wiredTiger',
        launchTimeout: launchTimeoutMs,
        ...(dbPath === undefined ? {} : { dbPath }),
        ...(data === undefined ? {} : { port: data.port }),
      },
    ],
    replSet: {
      name: setName,
      args: lightweight,
      // A separate session: Ctrl-C reaches the whole foreground group, and the database has to stop last.
      spawn: { detached: process.platform !== 'win32' },
    },
  });
  replicaSet.initiated = data?.initiated ?? false;
  await replicaSet.start();
  if (dbPath !== undefined && data !== undefined) await writeFile(portFileOf(dbPath), `${data.port}\n`);
  const mongod = replicaSet.servers[0]?.instanceInfo?.instance.mongodProcess;
  const pid = mongod?.pid;
  let stopping = false;
  return {
    uri: withDatabase(replicaSet.getUri(), database),
    source: `${found.source}, version ${found.version}`,
    ...(pid === undefined ? {} : { pid }),
    onEnded(listener) {
      mongod?.once('exit', () => {
        if (!stopping) listener();
      });
    },
    stop: async () => {
      stopping = true;
      await replicaSet.stop({ doCleanup: dbPath === undefined, force: false });
    },
  };
}

/**
 * Prepares a data folder and chooses the port. A replica set stores its own address in its data, and a member that does
 * not find its address there never becomes primary. So the port is kept in a file beside the data, and if that port is
 * taken, the stored address is changed before the start.
 */
async function prepareData(dbPath: string, binary: Binary): Promise<PreparedData> {
  await mkdir(dbPath, { recursive: true });
  await endLeftover(dbPath);
  const portFile = portFileOf(dbPath);
  const kept = Number(await readFile(portFile, 'utf8').catch(() => ''));
  // Otherwise get-port avoids for 15 s a port that it gave out before, although nobody uses it any more.
  clearLockedPorts();
  const port = await freePort(...(kept > 0 ? [kept] : []));
  // The folder may have been removed, and its port file left.
  const holdsData = existsSync(join(dbPath, 'WiredTiger'));
  if (port === kept) return { port, initiated: holdsData };
  await rm(portFile, { force: true });
  return { port, initiated: holdsData && (await changeAddress(dbPath, binary, port)) };
}

/**
 * MongoDB's documented procedure for a changed host name: start without the replica set, and edit its configuration.
 * Resolves to whether there was a configuration to edit.
 */
async function changeAddress(dbPath: string, binary: Binary, port: number): Promise<boolean> {
  const server = await MongoMemoryServer.create({
    binary,
    instance: { dbPath, storageEngine: 'wiredTiger', launchTimeout: launchTimeoutMs },
  });
  const client = new mongo.MongoClient(server.getUri(), { serverSelectionTimeoutMS: 10_000 });
  try {
    const configurations = client.db('local').collection('system.replset');
    const address = `127.0.0.1:${port}`;
    const { matchedCount } = await configurations.updateMany({}, { $set: { 'members.0.host': address } });
    return matchedCount > 0;
  } finally {
    await client.close();
    await server.stop({ doCleanup: false, force: false });
  }
}

function portFileOf(dbPath: string): string {
  return `${dbPath}.port`;
}
