import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runEight } from '../../fixtures/limits/limiter-processes.js';
import type { LimiterResult } from '../../fixtures/limits/limiter-worker.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';

const windowSeconds = 60;
/** Shorter than a window, so that everything accepted belongs to one window. */
const seconds = 40;
const limits = [20, 90, 1_000];

let members: ThreeMembers;
beforeAll(async () => {
  members = await startThreeMembers();
}, 120_000);
afterAll(() => members.stop());

function totalOf(results: readonly LimiterResult[], key: string): number {
  const counts = results.flatMap(({ accepted }) => Object.values(accepted[key] ?? {}));
  return counts.reduce((total, count) => total + count, 0);
}

describe('eight processes whose primary goes in the middle of a window', () => {
  it.each([
    { fault: 'steps down', act: () => members.stepDown() },
    { fault: 'steps down again and again', act: stepDownRepeatedly },
    { fault: 'is cut off', act: () => members.cutOffPrimary(20_000) },
    { fault: 'is killed', act: () => members.killPrimary() },
  ])(
    'grant no more than the limit where it $fault',
    async ({ fault, act }) => {
      const keyOf = (points: number) => `${fault}|${points}`;
      const results = await runEight({
        uri: members.uri,
        seconds,
        trafficOf: () =>
          limits.map((points) => ({
            key: keyOf(points),
            points,
            windowSeconds,
            // This rate uses up the limit only after the fault.
            perSecond: (4 * points) / seconds / 8,
          })),
        meanwhile: async () => {
          await delay(4_000);
          await act();
        },
      });
      for (const points of limits) {
        const total = totalOf(results, keyOf(points));
        expect(total).toBeLessThanOrEqual(points);
        // The fault ends long before the window; a draw whose result is unknown is lost, which weighs most with 20 points.
        expect(total).toBeGreaterThan(points / 4);
      }
    },
    180_000,
  );
});

async function stepDownRepeatedly(): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    await members.stepDown();
    await delay(8_000);
  }
}
