import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { buildWorker, type Worker } from '../../support/worker-processes.js';
import type { LimiterTask } from './limiter-worker.js';

const processes = 8;
const windowSeconds = 2;
const windows = 10;

/** Each process sends a fifth of the limit in each window, and twenty requests besides. */
const clients = [20, 90, 1_000].map((points) => ({
  key: `limit-of-${points}`,
  points,
  perSecond: points / 5 / windowSeconds + 10,
}));

interface Limited {
  /** Requests that all processes accepted of a client, window by window. */
  acceptedOf(key: string): number[];
  /** Draws of the processes that were not killed. */
  draws: number;
}

/** Runs eight limiters in processes of their own. With `killEveryMs`, one after the other is killed and replaced. */
async function runEight(uri: string, { killEveryMs }: { killEveryMs?: number } = {}): Promise<Limited> {
  const start = await buildWorker<LimiterTask>(new URL('./limiter-worker.ts', import.meta.url));
  const untilMs = Date.now() + windows * windowSeconds * 1_000;
  const workers: Worker[] = [];
  /** Returns once it has answered its first request, which takes seconds on a busy machine, or has ended. */
  async function startOne(): Promise<void> {
    const worker = start({ uri, clients, windowSeconds, untilMs });
    workers.push(worker);
    await Promise.race([worker.ended, worker.process.stdout && once(worker.process.stdout, 'data')]);
  }
  await Promise.all(Array.from({ length: processes }, startOne));
  for (let kills = 0; killEveryMs !== undefined && Date.now() < untilMs - 2 * killEveryMs; kills += 1) {
    await delay(killEveryMs);
    workers[kills]?.process.kill('SIGKILL');
    await startOne();
  }
  const ended = await Promise.all(workers.map((worker) => worker.ended));
  const failed = ended.find(({ code }) => code !== 0 && code !== null);
  if (failed !== undefined) throw new Error(failed.output);
  const lines = ended.flatMap(({ output }) => output.split('\n'));
  return {
    acceptedOf(key) {
      const byEnd = new Map<string, number>();
      for (const line of lines) {
        const [, end] = line.split(`accepted ${key} `);
        if (end !== undefined) byEnd.set(end, (byEnd.get(end) ?? 0) + 1);
      }
      return [...byEnd.values()];
    },
    draws: lines.reduce((sum, line) => sum + Number(/^draws (\d+)$/.exec(line)?.[1] ?? 0), 0),
  };
}

const { uri } = testDatabase();

it('eight processes accept the limit in each window, and no more, and ask the database seldom', async () => {
  const { acceptedOf, draws } = await runEight(uri);
  for (const { key, points } of clients) {
    const accepted = acceptedOf(key);
    expect(Math.max(...accepted)).toBe(points);
    // The first and the last window are cut, and a process that had no time to run may hold points in a few.
    expect(accepted.filter((count) => count === points).length).toBeGreaterThanOrEqual(windows / 2);
  }
  // Portions and one refusal of each process.
  expect(draws / clients.length / windows).toBeLessThanOrEqual(24);
}, 120_000);

it('eight processes of which one after the other is killed and replaced accept no more than the limit', async () => {
  const { acceptedOf } = await runEight(uri, { killEveryMs: 700 });
  for (const { key, points } of clients) {
    const accepted = acceptedOf(key);
    for (const count of accepted)
      expectFor(`accepted in a window of ${points}`, count).toBeLessThanOrEqual(points);
    // Points are missing because processes were killed with them, or because a busy machine sent fewer requests.
    expect(Math.max(...accepted)).toBeGreaterThan(points / 8);
  }
}, 120_000);
