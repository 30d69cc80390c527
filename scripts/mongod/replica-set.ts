import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMongod } from '../find-mongod.js';
import { createMongod, type Mongod } from './mongod.js';
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
  /** Further parameters of a mongod that is started here, such as `ttlMonitorEnabled=false`. */
  parameters?: readonly string[];
  say?: (line: string) => void;
}

const setName = 'fairlead';
const launchTimeoutMs = 60_000;
/** A process that is killed inside a transaction holds what that wrote for so long, instead of a minute. */
const transactionLifetime = 'transactionLifetimeLimitSeconds=5';

/**
 * A replica set of one member, up and writable; or the one that MONGODB_URI names, untouched.
 * @throws MongoNotFound, or Error when the mongod found cannot be started.
 */
export async function startMongo(options: StartOptions = {}): Promise<RunningMongo> {
  const { database = 'fairlead', ownProcess = false, parameters = [], say } = options;
  const env = ownProcess ? { ...process.env, MONGODB_URI: undefined } : process.env;
  const found = await findMongod({ env, ...(say === undefined ? {} : { say }) });
  if (found.kind === 'uri') {
    const uri = options.database === undefined ? found.uri : withDatabase(found.uri, database);
    return { uri, source: 'MONGODB_URI', pids: [], onEnded: () => undefined, stop: async () => undefined };
  }

  const isTemporary = options.dbPath === undefined;
  const dbPath = resolve(options.dbPath ?? (await mkdtemp(join(tmpdir(), 'fairlead-mongo-'))));
  await endLeftover(dbPath);
  const more = [transactionLifetime, ...parameters].flatMap((each) => ['--setParameter', each]);
  const mongod = await createMongod({ binary: found.path, folder: dbPath, setName, name: 'mongod', more });
  if (!isTemporary) await writeFile(`${dbPath}.port`, `${mongod.port}\n`);
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await mongod.stop('SIGINT');
    if (isTemporary) await rm(dbPath, { recursive: true, force: true });
  };
  try {
    await mongod.start();
    await makePrimary(mongod);
  } catch (error) {
    await stop();
    throw new Error(`mongod (${found.path}) does not start on ${dbPath}: see mongod.log there`, {
      cause: error,
    });
  }
  return {
    uri: `mongodb://${mongod.host}/${encodeURIComponent(database)}?replicaSet=${setName}`,
    source: `${found.source}, version ${found.version}`,
    pids: [mongod.pid()],
    onEnded(listener) {
      mongod.onEnd(() => {
        if (!isStopping) listener();
      });
    },
    stop,
  };
}

/**
 * Waits until this mongod can be written. A replica set stores its member's address in its data, and one that does not
 * find its own address there takes no writes: a new set is initiated with the address, an earlier one is given it.
 */
async function makePrimary({ host, admin, isPrimary, hasEnded }: Mongod): Promise<void> {
  const members = [{ _id: 0, host }];
  for (const deadline = Date.now() + launchTimeoutMs; Date.now() < deadline; await sleep(50)) {
    if (await isPrimary()) return;
    if (hasEnded()) throw new Error('it has ended');
    try {
      const { config } = await admin({ replSetGetConfig: 1 });
      const replSetReconfig = { ...config, members, version: config.version + 1 };
      if (config.members[0].host !== host) await admin({ replSetReconfig, force: true });
    } catch {
      // It is new, or reads its configuration still and refuses this.
      await admin({ replSetInitiate: { _id: setName, members } }).catch(() => undefined);
    }
  }
  throw new Error('it does not become primary');
}
