import { bareNode, record, startBare } from './lib/bare.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { ms, percent, perSecond, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import { type Measured, mediansOf, type Target } from './lib/measure.js';
import { ratesPath as path, returningClients, startReadBench } from './lib/read-service.js';

const rounds = 5;
const share = 0.7;
const node = 'bare node:http';

/** How long a cached read takes at 70 % of what the service answers at most, beside bare node:http at the same rate. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure } = await startReadBench(context);
  const bare = await startBare(context, bareNode, { [path]: await record(service.url + path) });
  const seconds = context.seconds / rounds;
  const load = { request: { path }, clients: returningClients, seconds };

  const [most] = Object.values(await inTurns(rounds, { service: () => measure(service, load) }));
  const rate = mediansOf(most ?? []).perSecond * share;
  const at = (target: Target) => () => measure(target, { ...load, perSecond: rate });
  const results = await inTurns(rounds, { [node]: at(bare), 'this service': at(service) });
  return latencyRows(results);
}

/** The rate is a column: comparisons of checkouts match rows by heading and label. */
export function latencyRows(results: Record<string, readonly Measured[]>): BenchRow[] {
  const p99OfBare = mediansOf(results[node] ?? []).p99Ms;
  return Object.entries(results).map(([what, each]) => {
    const figures = mediansOf(each);
    return {
      table: `GET ${path} at 70 % of what this service answers at most`,
      what,
      figures: {
        requests: perSecond(figures.perSecond),
        p50: ms(figures.p50Ms),
        p99: ms(figures.p99Ms),
        'p99, of node:http': ratio(figures.p99Ms, p99OfBare),
        'server busy': percent(figures.busy),
        'generator busy': percent(figures.generatorBusy),
      },
    };
  });
}
