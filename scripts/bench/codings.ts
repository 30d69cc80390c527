import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads, type LoadLine } from './lib/compare-loads.js';
import { manyReturningClients, ratesPath, scoresPath, startReadBench } from './lib/read-service.js';

const rounds = 5;
const plain = 'plain';

/** Compressed answers beside plain ones, of the service alone. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure } = await startReadBench(context);
  const seconds = context.seconds / rounds;
  const line = (path: string, what: string): LoadLine => ({
    table: `GET ${path}, clients that come back`,
    what,
    measure: () =>
      measure(service, {
        request: { path, headers: { 'accept-encoding': what === plain ? 'identity' : what } },
        clients: manyReturningClients,
        seconds,
      }),
  });
  const rows: BenchRow[] = [];
  // One path after another: both together would need more limit windows than a process holds.
  for (const path of [ratesPath, scoresPath]) {
    const lines = [plain, 'gzip', 'br'].map((what) => line(path, what));
    rows.push(...(await compareLoads(rounds, lines, { references: { 'of plain': plain } })));
  }
  return rows;
}
