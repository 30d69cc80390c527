import { type Compiled, compile } from '../lib/compile.js';
import { releaseBefore } from '../lib/release-before.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, medianOf, ms, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';

export const name = 'start';

const rounds = 5;

/** A process of the service on a database that is up, until its first answer that it is ready, beside the release before. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  // npm runs a bench in the checkout, but from compiled files.
  const before = await compile({ name: 'bench-before', root: await releaseBefore(process.cwd()) });
  context.onEnd('the release before', before.remove);

  const startOf = (database: string, release?: Compiled) => async () => {
    const startedAt = performance.now();
    const env = { ...anchors.env, MONGODB_URI: mongod.uri.replace('/bench', `/${database}`) };
    const service = await context.startService(env, release && { release });
    const tookMs = performance.now() - startedAt;
    const cpuMs = await service.cpuMs();
    await service.stop();
    return { tookMs, cpuMs };
  };
  const start = { before: startOf('before', before), now: startOf('now') };
  // The first one of each creates its collections.
  await start.before();
  await start.now();

  const started = await inTurns(rounds, start);
  const ratios = started.now.map(
    ({ tookMs }, round) => tookMs / (started.before[round]?.tookMs ?? Number.NaN),
  );
  const row = (what: string, starts: typeof started.now, ofBefore: number): BenchRow => ({
    table: 'one process, started while MongoDB is up',
    what,
    figures: {
      'until it is ready': ms(medianOf(starts, ({ tookMs }) => tookMs)),
      'of the release before': ratio(ofBefore, 1),
      processor: ms(medianOf(starts, ({ cpuMs }) => cpuMs)),
    },
  });
  return [row('release 2.3.0', started.before, 1), row('this service', started.now, median(ratios))];
}
