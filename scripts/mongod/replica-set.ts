import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clearLockedPorts } from 'get-port';
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
    return { uri, source: 'MONGODB_URI', onEnded: () => undefined, stop: async () => undefined };
  }

  const isTemporary = options.dbPath === undefined;
  const dbPath = resolve(options.dbPath ?? (await mkdtemp(join(tmpdir(), 'fairlead-mongo-'))));
  await mkdir(dbPath, { recursive: true });
  await endLeftover(dbPath);
  // The port stays the same where it can, for those who have noted down the address.
  const portFile = `${dbPath}.port`;
  const kept = Number(await readFile(portFile, 'utf8').catch(() => ''));
  // Otherwise get-port avoids for 15 s a port that it gave out before, although nobody uses it any more.
  clearLockedPorts();
  const port = await freePort(...(kept > 0 ? [kept] : []));
  if (!isTemporary) await writeFile(portFile, `${port}\n`);

  const log = ['--logpath', join(dbPath, 'mongod.log')];
  const place = ['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', setName];
  const child = spawn(found.path, [...place, ...log, ...lightweight], {
    stdio: 'ignore',
    // A separate session: Ctrl-C reaches the whole foreground group, and the database has to stop last.
    detached: process.platform !== 'win32',
  });
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await end(child);
    if (isTemporary) await rm(dbPath, { recursive: true, force: true });
  };
  try {
    await untilWritable(child, `127.0.0.1:${port}`);
  } catch (error) {
    await stop();
    throw new Error(`mongod (${found.path}) does not start on ${dbPath}: see mongod.log there`, {
      cause: error,
    });
  }
  return {
    uri: `mongodb://127.0.0.1:${port}/${encodeURIComponent(database)}?replicaSet=${setName}`,
    source: `${found.source}, version ${found.version}`,
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    onEnded(listener) {
      child.once('exit', () => {
        if (!isStopping) listener();
      });
    },
    stop,
  };
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
 * Initiates the replica set, or gives a set of earlier data its present address: it stores its own address in its data, and
 * a member that does not find its address there never becomes primary.
 */
async function untilWritable(child: ChildProcess, address: string): Promise<void> {
  const client = new mongo.MongoClient(`mongodb://${address}/?directConnection=true`, {
    serverSelectionTimeoutMS: launchTimeoutMs,
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([makePrimary(client, address), failed]);
  } finally {
    await client.close();
  }
}

async function makePrimary(client: mongo.MongoClient, address: string): Promise<void> {
  const admin = client.db('admin');
  const configurations = client.db('local').collection('system.replset');
  const deadline = Date.now() + launchTimeoutMs;
  for (;;) {
    try {
      const { isWritablePrimary } = await admin.command({ hello: 1 });
      if (isWritablePrimary === true) return;
      const present = await configurations.findOne({}, { readPreference: 'nearest' });
      const member = { _id: 0, host: address };
      if (present === null) await admin.command({ replSetInitiate: { _id: setName, members: [member] } });
      else if (present.members[0].host !== address) {
        const members = [{ ...present.members[0], ...member }];
        const replSetReconfig = { ...present, version: present.version + 1, members };
        await admin.command({ replSetReconfig, force: true });
      }
    } catch (error) {
      // It answers so while it reads what it holds; seen after a kill, code 109, ConfigurationInProgress.
      if (!(error instanceof mongo.MongoServerError)) throw error;
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new Error('it does not become primary');
    await sleep(50);
  }
}
