import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads, type LoadLine } from './lib/compare-loads.js';
import type { Target } from './lib/measure.js';
import { ratesPath as path, returningClients, startReadBench } from './lib/read-service.js';

const rounds = 5;
/** Long enough for every client to have sent a request to both. */
const warmUpSeconds = 2;
const one = 'one process';

/** Two processes of the service on one database beside one, under the same load, which goes to both in turns. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure, startAnother } = await startReadBench(context);
  const another = await startAnother();
  const seconds = context.seconds / rounds;
  const line = (what: string, targets: readonly Target[]): LoadLine => ({
    table: `GET ${path}, clients that come back, of processes that share the limits`,
    what,
    measure: () => measure(targets, { request: { path }, clients: returningClients, warmUpSeconds, seconds }),
  });
  const lines = [line(one, [service]), line('two processes', [service, another])];
  return compareLoads(rounds, lines, { references: { 'of one': one } });
}
