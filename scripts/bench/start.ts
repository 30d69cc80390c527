import { type Compiled, compile } from '../lib/compile.js';
import { withDatabase } from '../mongod/uri.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { medianOf, ms, ratioOfRounds } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';

/** It compares with another checkout, which BENCH_BEFORE names. */
export const onlyWhenNamed = true;

const rounds = 5;

interface Start {
  tookMs: number;
  cpuMs: number;
}
const tookMs = ({ tookMs }: Start) => tookMs;

/** A process of the service on a database that is up, until its first answer that it is ready, beside the checkout in BENCH_BEFORE. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  // npm runs a bench in the checkout, but from compiled files.
  const before = await compile({ name: 'bench-before', root: folderBefore() });
  context.onEnd('the version before', before.remove);

  const startOf = (database: string, release?: Compiled) => async (): Promise<Start> => {
    const startedAt = performance.now();
    const env = { ...anchors.env, MONGODB_URI: withDatabase(mongod.uri, database) };
    const service = await context.startService(env, release && { release });
    const took = performance.now() - startedAt;
    const cpuMs = await service.cpuMs();
    await service.stop();
    return { tookMs: took, cpuMs };
  };
  const start = { before: startOf('before', before), now: startOf('now') };
  // The first one of each creates its collections.
  await start.before();
  await start.now();

  const started = await inTurns(rounds, start);
  const row = (what: string, starts: Start[]): BenchRow => ({
    table: 'one process, started while MongoDB is up',
    what,
    figures: {
      'until it is ready': ms(medianOf(starts, tookMs)),
      'of the version before': ratioOfRounds(starts, started.before, tookMs),
      processor: ms(medianOf(starts, ({ cpuMs }) => cpuMs)),
    },
  });
  return [row('the version before', started.before), row('this service', started.now)];
}

function folderBefore(): string {
  const folder = process.env.BENCH_BEFORE;
  if (!folder) throw new Error('set BENCH_BEFORE to a checkout of the version to compare with');
  return folder;
}
