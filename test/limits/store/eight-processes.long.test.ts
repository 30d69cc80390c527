import { expect, it } from '@jest/globals';
import { connectMongo } from '../../../server/mongo/connection.js';
import type { LimiterResult, LimiterTask } from '../../fixtures/limits/limiter-worker.js';
import { testDatabase } from '../../support/database.js';
import { buildWorker, eventually, type Worker } from '../../support/worker-processes.js';

const { uri } = testDatabase();
const processes = 8;
const windowSeconds = 2;
const seconds = 20;
const limits = [20, 90, 1_000];
/** One and a half times the limit, and twenty requests of each process in each window. */
const clients = limits.map((points) => ({
  key: `limit of ${points}`,
  points,
  perSecond: (1.5 * points) / windowSeconds / processes + 10,
}));

/** Runs the limiters in processes of their own, whose traffic begins at the same time. */
async function runAll(): Promise<LimiterResult[]> {
  const start = await buildWorker<LimiterTask>(
    new URL('../../fixtures/limits/limiter-worker.ts', import.meta.url),
  );
  const connection = await connectMongo({ uri });
  const gate = connection.collection<{ _id: string }>('gate');
  const workers = Array.from({ length: processes }, () => start({ uri, clients, windowSeconds, seconds }));
  const results = Promise.all(workers.map(resultOf));
  const allReady = async () => ((await gate.countDocuments()) === processes ? true : undefined);
  await Promise.race([results, eventually(allReady)]);
  await gate.insertOne({ _id: 'open' });
  await connection.close();
  return results;
}

async function resultOf({ ended }: Worker): Promise<LimiterResult> {
  const { code, output } = await ended;
  if (code !== 0) throw new Error(output);
  return JSON.parse(output) as LimiterResult;
}

/** Requests accepted by all limiters together, window by window. */
function acceptedOf(results: readonly LimiterResult[], key: string): number[] {
  const byEnd: Record<string, number> = {};
  for (const { accepted } of results)
    for (const [end, count] of Object.entries(accepted[key] ?? {})) byEnd[end] = (byEnd[end] ?? 0) + count;
  return Object.values(byEnd);
}

it('eight processes accept the limit in each window, and no more, and ask the database seldom', async () => {
  const results = await runAll();
  for (const { key, points } of clients) {
    const accepted = acceptedOf(results, key);
    expect(Math.max(...accepted)).toBe(points);
    // The traffic ends within a window, and a process that had no time to run may hold points in a few.
    expect(accepted.filter((count) => count === points).length).toBeGreaterThanOrEqual(6);
  }
  const draws = results.reduce((sum, each) => sum + each.draws, 0);
  // The first portions and one refusal of each process; a few draw twice.
  expect(draws / (limits.length * (seconds / windowSeconds))).toBeLessThanOrEqual(3 * processes);
}, 120_000);
