/** The memory of one process: idle, with clients that come back, with addresses that come once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext } from './lib/context.js';
import type { BenchRow } from './lib/figures.js';
import { clientOf, fire, mostMemory, newClient } from './lib/load.js';

const returning = Array.from({ length: 20_000 }, (_, number) => ({ headers: clientOf(10, number) }));

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { uri } = await context.startMongo();
  const service = await context.startService({ ...(await context.startAnchors()), MONGODB_URI: uri });
  const load = { url: `${service.url}/api/rates/usdc-ngn`, seconds: context.seconds * 5 };
  const next = () => ({ headers: newClient() });
  const loads: [string, () => Promise<unknown>][] = [
    ['idle', () => delay(context.seconds * 1_000)],
    ['full load, clients that come back', () => fire({ ...load, requests: returning })],
    ['full load, addresses that come once', () => fire({ ...load, next })],
  ];
  const rows: BenchRow[] = [];
  for (const [what, work] of loads) {
    const bytes = await mostMemory(service.pid, work);
    const figures = { RSS: `${Math.round(bytes / 1e6)} MB` };
    rows.push({ table: 'memory of one process, the most that was seen', what, figures });
  }
  return rows;
}
