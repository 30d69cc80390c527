/** One process: its memory idle, with clients that come back, with addresses that come once; and how long it takes to start. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Compiled } from '../lib/compile.js';
import { withDatabase } from '../mongod/uri.js';
import type { BenchContext } from './lib/context.js';
import { type BenchRow, inTurns, medianOf, megabytes, ms, ratioOfRounds } from './lib/figures.js';
import { clientOf, fire, newClient } from './lib/load.js';
import { mostMemory } from './lib/processes.js';

const returning = Array.from({ length: 20_000 }, (_, number) => ({ headers: clientOf(10, number) }));

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const startOn = (database: string, release?: Compiled) =>
    context.startService({ ...anchors, MONGODB_URI: withDatabase(mongod.uri, database) }, release);

  const service = await startOn('now');
  const url = `${service.url}/api/rates/usdc-ngn`;
  const seconds = context.seconds * 5;
  const loads: [string, () => Promise<unknown>][] = [
    ['idle', () => delay(context.seconds * 1_000)],
    ['full load, clients that come back', () => fire({ url, requests: returning, seconds })],
    [
      'full load, addresses that come once',
      () => fire({ url, next: () => ({ headers: newClient() }), seconds }),
    ],
  ];
  const rows: BenchRow[] = [];
  for (const [what, work] of loads) {
    const figures = { RSS: megabytes(await mostMemory(service.pid, work)) };
    rows.push({ table: 'memory of one process, the most that was seen', what, figures });
  }
  await service.stop();

  const line = (what: string, database: string, release?: Compiled) => ({
    what,
    measure: async () => {
      const startedAt = performance.now();
      const started = await startOn(database, release);
      const tookMs = performance.now() - startedAt;
      await started.stop();
      return tookMs;
    },
  });
  const lines = [line('this service', 'now')];
  if (context.before !== undefined) lines.push(line('the version before', 'before', context.before));
  const starts = await inTurns(5, lines);
  const own = (each: number) => each;
  return [
    ...rows,
    ...starts.map(({ what, results }) => ({
      table: 'one process, started while MongoDB is up',
      what,
      figures: {
        'until it is ready': ms(medianOf(results, own)),
        'of this service': ratioOfRounds(results, starts[0]?.results ?? [], own),
      },
    })),
  ];
}
