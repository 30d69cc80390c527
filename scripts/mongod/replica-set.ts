import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { findMongod } from '../find-mongod.js';
import { freePort } from '../lib/loopback-server.js';
import { endLeftover } from './processes.js';
import { withDatabase } from './uri.js';

export interface RunningMongo {
  /** Names the database asked for, and the replica set. */
  uri: string;
  /** Where the binary or server was found, for display: `PATH`, `MONGODB_URI`, … */
  source: string;
  /** Of the mongod started here; none if MONGODB_URI names an existing server. */
  pids: number[];
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

const setName = 'fairlead';
const launchTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;
/** Several may run on one developer's machine: the default cache of half the memory each is too much. */
const lightweight = [
  ...['--wiredTigerCacheSizeGB', '0.5', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // A process that is killed inside a transaction holds what that wrote for so long, instead of a minute.
  ...['--setParameter', 'transactionLifetimeLimitSeconds=5'],
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
    return { uri, source: 'MONGODB_URI', pids: [], onEnded: () => undefined, stop: async () => undefined };
  }

  const isTemporary = options.dbPath === undefined;
  const dbPath = resolve(options.dbPath ?? (await mkdtemp(join(tmpdir(), 'fairlead-mongo-'))));
  await mkdir(dbPath, { recursive: true });
  await endLeftover(dbPath);
  const port = await freePort();
  if (!isTemporary) await writeFile(`${dbPath}.port`, `${port}\n`);
  const child = launch(found.path, dbPath, port);
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await end(child);
    if (isTemporary) await rm(dbPath, { recursive: true, force: true });
  };
  try {
    await makePrimary(child, port);
  } catch (error) {
    await stop();
    throw new Error(`mongod (${found.path}) does not start on ${dbPath}: see mongod.log there`, {
      cause: error,
    });
  }
  return {
    uri: `mongodb://127.0.0.1:${port}/${encodeURIComponent(database)}?replicaSet=${setName}`,
    source: `${found.source}, version ${found.version}`,
    pids: [child.pid ?? 0],
    onEnded(listener) {
      child.once('exit', () => {
        if (!isStopping) listener();
      });
    },
    stop,
  };
}

function launch(mongod: string, dbPath: string, port: number): ChildProcess {
  const place = ['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', setName];
  return spawn(mongod, [...place, '--logpath', join(dbPath, 'mongod.log'), ...lightweight], {
    stdio: 'ignore',
    // A separate session: Ctrl-C reaches the whole foreground group, and the database has to stop last.
    detached: true,
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(kill);
}

/**
 * Waits until this mongod can be written. A replica set stores its member's address in its data, and one that does not
 * find its own address there takes no writes: a new set is initiated with the address, an earlier one is given it.
 */
async function makePrimary(child: ChildProcess, port: number): Promise<void> {
  const client = new mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: launchTimeoutMs,
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  ended.catch(() => undefined);
  try {
    await Promise.race([untilWritable(client.db('admin'), `127.0.0.1:${port}`), ended]);
  } finally {
    await client.close();
  }
}

async function untilWritable(admin: mongo.Db, host: string): Promise<void> {
  const members = [{ _id: 0, host }];
  for (const deadline = Date.now() + launchTimeoutMs; Date.now() < deadline; await sleep(50)) {
    const { isWritablePrimary } = await admin.command({ hello: 1 });
    if (isWritablePrimary === true) return;
    try {
      const { config } = await admin.command({ replSetGetConfig: 1 });
      const replSetReconfig = { ...config, members, version: config.version + 1 };
      if (config.members[0].host !== host) await admin.command({ replSetReconfig, force: true });
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError)) throw error;
      // It is new, or reads its configuration still and refuses this.
      await admin.command({ replSetInitiate: { _id: setName, members } }).catch(() => undefined);
    }
  }
  throw new Error('it does not become primary');
}
