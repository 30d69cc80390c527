import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads, type LoadLine } from './lib/compare-loads.js';
import type { Target } from './lib/measure.js';
import { publisherHealthPath as path, startReadBench } from './lib/read-service.js';

const rounds = 5;
/** So many for each measurement: a process holds the windows of 50,000, and keeps them for a minute. */
const count = 3_000;
/** Beside a second process, a client's first draw is some quarter of its limit, 22 to 30 requests: enough for so long. */
const longestSeconds = 0.5;
const warmUpSeconds = 0.2;
const one = 'one process';

/** Two processes of the service on one database beside one, under the same load, which goes to both in turns. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure, startAnother } = await startReadBench(context);
  const another = await startAnother();
  const seconds = Math.min(longestSeconds, context.seconds / rounds);
  let used = 0;

  /** Every client has drawn at every process before the measurement, which therefore needs no draws. */
  async function measureDrawn(targets: readonly Target[]) {
    const clients = { kind: 'returning', count, first: used } as const;
    used += count;
    const load = { request: { path }, clients };
    for (const target of targets) await measure(target, { ...load, warmUpSeconds: 0, seconds: 0.1 });
    return measure(targets, { ...load, warmUpSeconds, seconds });
  }

  const line = (what: string, targets: readonly Target[]): LoadLine => ({
    table: `GET ${path}, clients that come back, of processes that share the limits`,
    what,
    measure: () => measureDrawn(targets),
  });
  const lines = [line(one, [service]), line('two processes', [service, another])];
  return compareLoads(rounds, lines, { references: { 'of one': one } });
}
