import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { mongo } from 'mongoose';
import { findMongod } from '../../find-mongod.js';
import { type Compiled, productionFlags } from '../../lib/compile.js';
import { untilReady } from '../../lib/local-service.js';
import { freePort } from '../../lib/loopback-server.js';
import type { StartedParts } from '../../lib/started-parts.js';
import { withDatabase } from '../../mongod/uri.js';
import type { AnchorsStarted } from '../programs/anchors.js';
import type { BenchRow } from './figures.js';
import { type Program, startProgram as startOurs } from './load.js';

/**
 * What every file of scripts/bench exports. A bench measures alternatives in turns in one run and reports their ratios; it
 * never passes or fails by time. It throws only where what it measured was wrong.
 */
export type Bench = (context: BenchContext) => Promise<BenchRow[]>;

export type BenchContext = ReturnType<typeof createContext>;

export interface BenchMongo {
  /** Names the database `bench`. */
  uri: string;
  pids: number[];
  client: mongo.MongoClient;
}

export interface BenchService extends Program {
  /** `http://127.0.0.1:<port>` */
  url: string;
}

export const benchAdminKey = 'admin-key-of-the-benches-0123456789';
export const benchCronSecret = 'cron-secret-of-the-benches-0123456789';

const serviceEnvironment = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  ADMIN_SECRET_KEY: benchAdminKey,
  CRON_SECRET: benchCronSecret,
  WEBHOOK_KEY: '5e'.repeat(32),
  // Requests may name any client they like.
  TRUST_PROXY: '127.0.0.0/8',
  SCHEDULER: 'off',
  DRAIN_SECONDS: '0',
};

/** Everything started through it is stopped when the bench ends, last started first. */
export function createContext(given: {
  /** How long one measurement lasts: BENCH_SECONDS, 3 where unset. */
  seconds: number;
  say(line: string): void;
  compiled: Compiled;
  /** The checkout of an older version, compiled, where BENCH_BEFORE names one. */
  before: Compiled | undefined;
  folder: string;
  parts: StartedParts;
}) {
  const { compiled, folder, parts } = given;

  /** A program of scripts/bench/programs. */
  async function startProgram(name: string, args: string[] = []): Promise<Program> {
    const program = startOurs(compiled.fileOf(`scripts/bench/programs/${name}`), { args });
    await parts.add(name, program);
    await program.ready;
    return program;
  }

  return {
    ...given,
    startProgram,
    async startMongo(members = 1): Promise<BenchMongo> {
      const found = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
      if (found.kind !== 'binary') throw new Error('a bench needs a mongod of its own');
      const quiet = ['--setParameter', 'diagnosticDataCollectionEnabled=false'];
      const args = ['--wiredTigerCacheSizeGB', '0.5', ...quiet];
      const set = await MongoMemoryReplSet.create({
        binary: { systemBinary: found.path, version: found.version },
        replSet: { count: members, storageEngine: 'wiredTiger', args },
      });
      await parts.add('MongoDB', { stop: async () => void (await set.stop()) });
      const uri = withDatabase(set.getUri(), 'bench');
      const client = await mongo.MongoClient.connect(uri);
      await parts.add('the connection', { stop: () => client.close() });
      const pids = set.servers.flatMap(({ instanceInfo }) => instanceInfo?.instance.mongodProcess?.pid ?? []);
      return { uri, pids, client };
    },
    /** The simulated anchors without latency or faults; what the service needs to use them. */
    async startAnchors(): Promise<Record<string, string>> {
      const program = await startProgram('anchors');
      const { fleet, env } = (await program.ready) as AnchorsStarted;
      const fleetFile = join(folder, `fleet-${program.pid}.json`);
      await writeFile(fleetFile, JSON.stringify(fleet));
      return { ...env, FLEET_FILE: fleetFile };
    },
    /** The compiled service, with the scheduler off; of this checkout where no other is given. */
    async startService(given: Record<string, string>, release = compiled): Promise<BenchService> {
      const port = String(await freePort());
      const env = { ...serviceEnvironment, PORT: port, ...given };
      const program = startOurs(release.fileOf('server/main'), { env, nodeArgs: [...productionFlags] });
      await parts.add('the service', program);
      const url = `http://127.0.0.1:${port}`;
      await untilReady(url);
      return { ...program, url };
    },
  };
}

/** Starts an internal run by its endpoint; throws where it is not answered 200. */
export async function runInternally({ url }: BenchService, path: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${benchCronSecret}` };
  const answer = await fetch(url + path, { method: 'POST', headers });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}
