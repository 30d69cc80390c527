import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { type Connection, mongo } from 'mongoose';
import { type RunningMongo, startMongo } from '../../scripts/mongod/replica-set.js';
import { withDatabase } from '../../scripts/mongod/uri.js';
import { connectMongo } from '../../server/mongo/connection.js';
import { testRun } from './test-run.js';

/** Dropping waits for the transactions of killed processes, which MongoDB ends after 60 s. */
const dropTimeoutMs = 120_000;

interface TestDatabase {
  /** The address, including the name of the database. */
  uri: string;
  name: string;
}

/**
 * A database for the calling file only, on the replica set of the run, dropped after the file. Call it once at the top of
 * the file, or inside a describe. Hooks run last in, first out, so what you close in afterAll closes first.
 */
export function testDatabase(): TestDatabase {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const uri = withDatabase(testRun.mongoUri, name);
  afterAll(async () => {
    const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
    try {
      await client.db().dropDatabase();
    } finally {
      await client.close();
    }
  }, dropTimeoutMs);
  return { uri, name };
}

/**
 * A connection to a database for the calling file only, until the file ends; `monitored` tells its commands. Call it once at
 * the top of a file, and await it.
 */
export async function testConnection({ monitored = false } = {}): Promise<Connection> {
  const { uri } = testDatabase();
  const connection = await connectMongo({ uri: monitored ? `${uri}&monitorCommands=true` : uri });
  afterAll(() => connection.close());
  return connection;
}

/** A mongod of your own, to be stopped with signals. */
export interface PrivateMongo extends RunningMongo {
  pid: number;
  /** SIGSTOP: connections stay open and nothing answers. Returns once it has stopped, which a busy machine delays. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
}

/** A replica set that no other file uses, for fault tests, whatever MONGODB_URI says. Call stop() when done. */
export async function privateMongo(): Promise<PrivateMongo> {
  const running = await startMongo({ ownProcess: true, database: 'private' });
  const [pid] = running.pids;
  if (pid === undefined) throw new Error('the mongod started has no process id');
  const stateOf = () => execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' });
  const thaw = () => void process.kill(pid, 'SIGCONT');
  return {
    ...running,
    pid,
    freeze() {
      process.kill(pid, 'SIGSTOP');
      while (!stateOf().startsWith('T'));
    },
    thaw,
    // A frozen process can neither receive the request to end nor end.
    stop: async () => {
      thaw();
      await running.stop();
    },
  };
}
