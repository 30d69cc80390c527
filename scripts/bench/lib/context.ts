import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { type Compiled, productionFlags } from '../../lib/compile.js';
import { breakable } from '../../lib/instances.js';
import { isReady } from '../../lib/local-service.js';
import { freePort } from '../../lib/loopback-server.js';
import type { StartedParts } from '../../lib/started-parts.js';
import { startMembers } from '../../mongod/members.js';
import { startMongo } from '../../mongod/replica-set.js';
import { startSimulatedAnchors } from '../../simulated-anchors/index.js';
import type { RecordedAnswer } from './bare-server.js';
import type { BenchRow } from './figures.js';

/**
 * What every file of scripts/bench exports. A bench measures alternatives in turns in one run and reports their ratios; it
 * never passes or fails by time. It throws only where what it measured was wrong.
 */
export type Bench = (context: BenchContext) => Promise<BenchRow[]>;

export type BenchContext = ReturnType<typeof createContext>;

export interface BenchMongo {
  uri: string;
  pids: number[];
  client: mongo.MongoClient;
}

interface Program {
  pid: number;
  stop(): Promise<void>;
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
  folder: string;
  parts: StartedParts;
}) {
  const { compiled, folder, parts } = given;

  /** A process of Node, with no other variable of the environment than these and PATH. */
  async function startProgram(
    name: string,
    of: { args: readonly string[]; env?: Record<string, string>; isUp(): Promise<boolean> },
  ): Promise<Program> {
    const env = { PATH: process.env.PATH ?? '', ...of.env };
    const program = breakable({ ...of, name, folder, command: process.execPath, env });
    const stop = async () => void (await program.end('SIGTERM'));
    await parts.add(name, { stop });
    await program.start();
    return { pid: program.pid(), stop };
  }

  return {
    ...given,
    /** Bare node:http, which sends these answers by path, after a draw where a database is given. */
    async startBare(answers: Record<string, RecordedAnswer>, ...uri: string[]): Promise<BenchService> {
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const args = [compiled.fileOf('scripts/bench/lib/bare-server'), port, JSON.stringify(answers), ...uri];
      const isUp = () =>
        fetch(url)
          .then(() => true)
          .catch(() => false);
      return { ...(await startProgram('bare-server', { args, isUp })), url };
    },
    async startMongo(members: 1 | 3 = 1): Promise<BenchMongo> {
      const starting: Promise<Omit<BenchMongo, 'client'> & { stop(): Promise<void> }> =
        members === 1
          ? startMongo({ ownProcess: true, database: 'bench' })
          : startMembers(await mkdtemp(join(folder, 'members-')));
      const { uri, pids } = await parts.add('MongoDB', starting);
      const client = await mongo.MongoClient.connect(uri);
      await parts.add('the connection', { stop: () => client.close() });
      return { uri, pids, client };
    },
    /** The simulated anchors without latency or faults; what the service needs to use them. */
    async startAnchors(): Promise<Record<string, string>> {
      const options = { clock: Date.now, random: () => 0.5, latencyFactor: 0 };
      const { fleet, env, fxUrl, allow } = await parts.add('the anchors', startSimulatedAnchors(options));
      const fleetFile = join(folder, 'fleet.json');
      await writeFile(fleetFile, JSON.stringify(fleet));
      return { ...env, FX_URL: fxUrl, OUTBOUND_ALLOW: allow.join(','), FLEET_FILE: fleetFile };
    },
    /** The compiled service, with the scheduler off. */
    async startService(given: Record<string, string>): Promise<BenchService> {
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const env = { ...serviceEnvironment, PORT: port, ...given };
      const args = [...productionFlags, compiled.fileOf('server/main')];
      return { ...(await startProgram('the service', { args, env, isUp: () => isReady(url) })), url };
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
