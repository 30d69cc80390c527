import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { breakable } from '../../lib/breakable.js';
import type { Compiled } from '../../lib/compile.js';
import { credentials, type Instance, startInstances } from '../../lib/instances.js';
import { freePort } from '../../lib/loopback-server.js';
import type { StartedParts } from '../../lib/started-parts.js';
import { startMembers } from '../../mongod/members.js';
import { startMongo } from '../../mongod/replica-set.js';
import { addAnchors } from '../../simulated-anchors/add-anchors.js';
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

export interface BenchService {
  /** `http://127.0.0.1:<port>` */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

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
  let around: ReturnType<typeof addAnchors> | undefined;

  return {
    ...given,
    /** Bare node:http, which sends these answers by path, after a draw where a database is given. */
    async startBare(answers: Record<string, RecordedAnswer>, ...uri: string[]): Promise<BenchService> {
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const program = compiled.fileOf('scripts/bench/lib/bare-server');
      const args = [program, port, JSON.stringify(answers), ...uri];
      const isUp = () =>
        fetch(url)
          .then(() => true)
          .catch(() => false);
      const env = { PATH: process.env.PATH ?? '' };
      const bare = breakable({ name: 'bare-server', folder, command: process.execPath, args, env, isUp });
      const stop = async () => void (await bare.end('SIGTERM'));
      await parts.add('the bare server', { stop });
      await bare.start();
      return { url, pid: bare.pid(), stop };
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
    /** The compiled service, with the scheduler off, and simulated anchors without latency or faults. */
    async startService(uri: string, own: Record<string, string> = {}): Promise<BenchService> {
      around ??= addAnchors(parts, { folder, random: () => 0.5, latencyFactor: 0 });
      const { env: anchors } = await around;
      const env = { ...anchors, ...own, MONGODB_URI: uri, SCHEDULER: 'off' };
      const program = compiled.fileOf('server/main');
      const starting = startInstances({ count: 1, program, env, folder });
      const { all, stop } = await parts.add('the service', starting);
      const [service] = all as [Instance];
      return { url: service.url, pid: service.pid(), stop };
    },
  };
}

/** Starts an internal run by its endpoint; throws where it is not answered 200. */
export async function runInternally({ url }: BenchService, path: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${credentials.cronSecret}` };
  const answer = await fetch(url + path, { method: 'POST', headers });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}
