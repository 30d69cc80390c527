import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { megabytes, significant } from './lib/figures.js';
import type { AskedLoad } from './lib/measure.js';
import { mostMemory } from './lib/most-memory.js';
import { ratesPath as path, returningClients, startReadBench } from './lib/read-service.js';

export const name = 'memory';
export const limitMs = 1_200_000;

const addresses = 1_000_000;
/** The most measurement durations to send for, a quarter of an hour of 3 s each; a slow machine sends from fewer addresses. */
const longest = 300;
const idleMs = 5_000;

/** The memory of one process: idle, with returning clients, and after a million addresses. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure } = await startReadBench(context);
  const { seconds, signal } = context;
  const idle = await mostMemory(service.pid, () => delay(idleMs));
  let seen = 0;
  const load = async (asked: Pick<AskedLoad, 'clients' | 'warmUpSeconds'>) => {
    seen += (await measure(service, { request: { path }, seconds, ...asked })).sent;
  };
  const comingBack = await mostMemory(service.pid, () => load({ clients: returningClients }));
  seen = 0;
  const full = await mostMemory(service.pid, async () => {
    for (let part = 0; part < longest && seen < addresses && !signal.aborted; part += 1)
      await load({ clients: { kind: 'new' }, warmUpSeconds: 0 });
  });
  const row = (what: string, rssBytes: number): BenchRow => ({
    table: 'memory of one process (RSS), the most that was seen',
    what,
    figures: { RSS: megabytes(rssBytes) },
  });
  return [
    row('idle', idle),
    row('full load, 10,000 clients that come back', comingBack),
    row(`full load, ${significant(seen)} addresses, each once`, full),
  ];
}
