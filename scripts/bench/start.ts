import type { BenchContext, BenchRow } from './lib/bench.js';
import { medianOf, ms } from './lib/figures.js';

export const name = 'start';

const rounds = 5;

/** A process of the service on a database that is up, until its first answer that it is ready. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const start = async () => {
    const startedAt = performance.now();
    const service = await context.startService({ ...anchors.env, MONGODB_URI: mongod.uri });
    const tookMs = performance.now() - startedAt;
    const cpuMs = await service.cpuMs();
    await service.stop();
    return { tookMs, cpuMs };
  };
  // The first one of all creates the collections.
  await start();
  const starts = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await start());
  return [
    {
      table: 'one process, started while MongoDB is up',
      what: 'this service',
      figures: {
        'until it is ready': ms(medianOf(starts, ({ tookMs }) => tookMs)),
        processor: ms(medianOf(starts, ({ cpuMs }) => cpuMs)),
      },
    },
  ];
}
