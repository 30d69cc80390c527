import { randomInt } from 'node:crypto';
import type { BenchContext, BenchRow, ServiceProcess } from './lib/bench.js';
import { memoryFigures, perSecond } from './lib/figures.js';
import { fireMany } from './lib/load.js';
import type { MemoryReading } from './lib/programs/probe.js';

export const name = 'soak';

const connections = 200;
/** By then the bounded tables are full (seen by reading the memory every 40,000): clients first, rates last. */
const requestsThatFill = 80_000;
const requestsAfter = 120_000;
/** Each part ends with its requests or, on a slow machine, after so many measurements' time. */
const longestToFill = 10;
const longestAfter = 15;
/** 503: the anchors' budgets are used up, and nobody asked for this amount within the last minute. */
const expected = new Set([200, 503]);

/** Requests of clients and for amounts that hardly ever come twice: what grows with them would grow without end. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({ ...anchors.env, MONGODB_URI: mongo.uri });
  const fresh = await service.memory();
  const filled = await soak(service, requestsThatFill, longestToFill * context.seconds);
  const later = await soak(service, requestsAfter, longestAfter * context.seconds);
  const first = filled.requests;
  const row = (after: number, memory: MemoryReading, figures: Record<string, string> = {}): BenchRow => ({
    table: 'memory of the service, every request from a random client, every fourth for a random amount',
    what: `after ${after.toLocaleString('en-US')} requests`,
    figures: {
      ...memoryFigures(memory, fresh, filled.memory),
      ...figures,
    },
  });
  return [
    row(0, fresh),
    row(first, filled.memory, filled.figures),
    row(first + later.requests, later.memory, later.figures),
  ];
}

async function soak(service: ServiceProcess, atMost: number, seconds: number) {
  const startedAt = performance.now();
  const statuses = await fireMany({
    url: service.url,
    requests: atMost,
    seconds,
    connections,
    next: anyRequest,
  });
  const took = (performance.now() - startedAt) / 1_000;
  const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  for (const status of statuses.keys()) {
    if (!expected.has(status)) throw new Error(`${statuses.get(status)} answers were ${status}`);
  }
  const answered = `${Math.round((100 * (statuses.get(200) ?? 0)) / requests)} %`;
  return {
    requests,
    memory: await service.memory(),
    figures: { requests: perSecond(requests / took), 'with rates (200)': answered },
  };
}

function anyRequest() {
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  const amount = (10 + randomInt(99_000) / 10).toFixed(1);
  const path = randomInt(4) > 0 ? '/api/rates/usdc-ngn' : `/api/rates/usdc-ngn?amount=${amount}`;
  return { path, headers: { 'x-forwarded-for': address } };
}
