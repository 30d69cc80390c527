import { rateLimitClasses } from '../../contract/rate-limits.js';
import { bareNode, type RecordedAnswers, record, startBare } from './lib/bare.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads } from './lib/compare-loads.js';
import { publisherHealthPath, ratesPath, scoresPath, startReadBench } from './lib/read-service.js';

/** Six paths, each of which begins with a draw for every client. */
export const limitMs = 480_000;

const rounds = 5;
const { rates, scores, publisherHealth, default: other } = rateLimitClasses;
const limits = {
  [ratesPath]: rates,
  '/api/corridors': other,
  '/api/snapshot': other,
  '/api/reputation/leaderboard': other,
  [scoresPath]: scores,
  [publisherHealthPath]: publisherHealth,
};
const node = 'bare node:http';

/** Cached rates of clients whose windows are held. */
export async function mainLoad(context: BenchContext): Promise<void> {
  const { service, openWindows } = await startReadBench(context);
  const measure = await openWindows(ratesPath, rates);
  await measure(service, { seconds: context.seconds });
}

/** Cached public reads of clients whose windows are held, beside a bare server that sends the same bytes and headers. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, openWindows } = await startReadBench(context);
  const recorded: RecordedAnswers = {};
  for (const path of Object.keys(limits)) recorded[path] = await record(service.url + path);
  const bare = await startBare(context, bareNode, recorded);

  const seconds = context.seconds / rounds;
  const rows: BenchRow[] = [];
  // One path after another: all together would need more windows than a process holds.
  for (const [path, limit] of Object.entries(limits)) {
    const measure = await openWindows(path, limit);
    const table = `GET ${path}, clients whose windows are held`;
    const lines = [
      { table, what: node, measure: () => measure(bare, { seconds }) },
      { table, what: 'this service', measure: () => measure(service, { seconds }) },
    ];
    rows.push(
      ...(await compareLoads(rounds, lines, { references: { 'of node:http': node }, sameBytesAs: node })),
    );
  }
  return rows;
}
