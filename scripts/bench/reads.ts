import { bareNode, type RecordedAnswers, record, startBare } from './lib/bare.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads, type LoadLine } from './lib/compare-loads.js';
import type { Target } from './lib/measure.js';
import {
  publisherHealthPath,
  ratesPath,
  returningClients,
  scoresPath,
  startReadBench,
} from './lib/read-service.js';

/** Six paths in turns; on a slow machine the warm-ups, in which every client is there once, take as long again. */
export const limitMs = 480_000;

const rounds = 5;
const paths = [
  ratesPath,
  '/api/corridors',
  '/api/snapshot',
  '/api/reputation/leaderboard',
  scoresPath,
  publisherHealthPath,
];
const node = 'bare node:http';

/** Cached rates of returning clients. */
export async function mainLoad(context: BenchContext): Promise<void> {
  const { service, measure } = await startReadBench(context);
  const seconds = context.seconds * 3;
  await measure(service, { request: { path: ratesPath }, clients: returningClients, seconds });
}

/** Cached public reads of returning clients, compared with a bare server that sends the same bytes and headers. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure } = await startReadBench(context);
  const recorded: RecordedAnswers = {};
  for (const path of paths) recorded[path] = await record(service.url + path);
  const bare = await startBare(context, bareNode, recorded);

  const seconds = context.seconds / rounds;
  const line = (path: string, what: string, target: Target): LoadLine => ({
    table: `GET ${path}, clients that come back`,
    what,
    measure: () => measure(target, { request: { path }, clients: returningClients, seconds }),
  });
  const references = { 'of node:http': node };
  const rows: BenchRow[] = [];
  // One path after another: mixing the paths would need more limit windows than a process holds.
  for (const path of paths) {
    const lines = [line(path, node, bare), line(path, 'this service', service)];
    rows.push(...(await compareLoads(rounds, lines, { references, sameBytesAs: node })));
  }
  return rows;
}
