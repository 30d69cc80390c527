import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { megabytes, significant } from './lib/figures.js';
import type { AskedLoad } from './lib/measure.js';
import { mostMemory } from './lib/most-memory.js';
import { ratesPath as path, returningClients, startReadBench } from './lib/read-service.js';

export const limitMs = 1_200_000;

const addresses = 1_000_000;
/** A slow machine sends from fewer addresses. */
const longestMs = 900_000;
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
    const endsAt = performance.now() + longestMs;
    while (seen < addresses && performance.now() < endsAt && !signal.aborted)
      await load({ clients: { kind: 'new' }, warmUpSeconds: 0 });
  });
  return memoryRows({ idle, comingBack, full, seen });
}

/** The addresses are a column: comparisons of checkouts match rows by heading and label. */
export function memoryRows(most: {
  idle: number;
  comingBack: number;
  full: number;
  seen: number;
}): BenchRow[] {
  const row = (what: string, rssBytes: number, clients?: number): BenchRow => ({
    table: 'memory of one process (RSS), the most that was seen',
    what,
    figures: { RSS: megabytes(rssBytes), addresses: clients === undefined ? '' : significant(clients) },
  });
  return [
    row('idle', most.idle),
    row('full load, clients that come back', most.comingBack, returningClients.count),
    row('full load, addresses that come once', most.full, most.seen),
  ];
}
