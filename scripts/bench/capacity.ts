import { publish } from './capacity/endpoints/operator.js';
import { withDeliveries } from './capacity/endpoints/webhooks.js';
import { endpointCases } from './capacity/endpoints.js';
import { type Cost, measureCase, measureIdle } from './capacity/measure.js';
import { measureStored, type Stored } from './capacity/stored.js';
import { openWorld } from './capacity/world.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { microseconds, significant } from './lib/figures.js';

export const limitMs = 900_000;
/** Names of operations, separated by commas; all of them where there are none. */
const asked = process.env.BENCH_ENDPOINTS?.split(',');

const deliveriesToWeigh = 20;
/** Collections whose documents expire within minutes. */
const shortLived = new Set(['limit_windows', 'lease_sessions']);

/** What each request of each endpoint costs MongoDB, the network and both processors, and how much it leaves stored. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { say, seconds, signal } = context;
  const world = await openWorld(context);
  await publish(world);
  say('measuring what the service does by itself …');
  const idle = await measureIdle(world, seconds * 4_000);
  const rows: BenchRow[] = [];
  for (const [operationId, cases] of Object.entries(endpointCases)) {
    if (asked?.includes(operationId) === false) continue;
    for (const endpoint of cases) {
      signal.throwIfAborted();
      const row = costRow([operationId, endpoint.state], await measureCase(world, idle, endpoint));
      rows.push(row);
      say(`${row.what}: ${JSON.stringify(row.figures)}`);
    }
  }
  say('weighing what is stored …');
  // Every case took its webhooks away, and their deliveries with them.
  await withDeliveries(world, deliveriesToWeigh);
  return [...rows, ...(await measureStored(world, signal)).map(storedRow)];
}

function costRow([operationId, state]: [string, string], cost: Cost): BenchRow {
  const { wire, sentBytes, receivedBytes, serviceMs, mongodMs, documents } = cost;
  const sum = (pick: 'sentBytes' | 'receivedBytes') =>
    Object.values(wire).reduce((total, count) => total + count[pick], 0);
  const named = (entries: [string, number][]) =>
    entries.map(([what, count]) => `${rounded(count)} ${what}`).join(', ') || 'none';
  return {
    table: 'one request of each endpoint',
    what: state === '' ? operationId : `${operationId}: ${state}`,
    figures: {
      'operations of MongoDB': named(Object.entries(wire).map(([what, { commands }]) => [what, commands])),
      'bytes to MongoDB': significant(Math.round(sum('sentBytes'))),
      'from MongoDB': significant(Math.round(sum('receivedBytes'))),
      'from the client': significant(Math.round(sentBytes)),
      'to the client': significant(Math.round(receivedBytes)),
      service: time(serviceMs),
      mongod: time(mongodMs),
      'documents that stay': named(Object.entries(documents).filter(([what]) => !shortLived.has(what))),
    },
  };
}

/** For a short time, subtracting the background may leave less than nothing. */
function time(ms: number): string {
  return ms > 0 ? microseconds(ms * 1_000) : 'n/a';
}

function rounded(count: number): string {
  return String(Number(count.toFixed(Math.abs(count) < 10 ? 2 : 0)));
}

function storedRow({ collection, documents, bsonBytes, diskBytes, indexBytes }: Stored): BenchRow {
  return {
    table: 'one stored document, in bytes',
    what: collection,
    figures: {
      documents: significant(documents),
      BSON: significant(Math.round(bsonBytes)),
      'on disk': significant(Math.round(diskBytes)),
      indexes: significant(Math.round(indexBytes)),
    },
  };
}
