import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { acceptedOf, runEight, sumOf } from '../../fixtures/limits/limiter-processes.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const processes = 8;
/** A long time limit, since speed is not tested here. */
const timeoutMs = 10_000;
/** A retry must not count in the windows of the first try. */
const newKey = (name: string) => `${name}|${randomUUID()}`;

describe('eight processes with one database', () => {
  it('accept exactly the limit in each of 50 windows, clocks that are wrong or not', async () => {
    const windowSeconds = 2;
    const limits = [20, 90, 1_000];
    const keys = new Map(limits.map((points) => [points, newKey(`windows|${points}`)]));
    const results = await runEight({
      uri,
      seconds: 125,
      timeoutMs,
      trafficOf: () =>
        limits.map((points) => ({
          key: keys.get(points) ?? '',
          points,
          windowSeconds,
          // One and a half times the limit, plus twenty requests of each process in each window.
          perSecond: (1.5 * points) / windowSeconds / processes + 10,
        })),
    });
    for (const points of limits) {
      const accepted = acceptedOf(results, keys.get(points) ?? '');
      expect(Math.max(...accepted)).toBe(points);
      // Traffic ends within a window, and on a busy machine a few windows lack the requests of a process that did not run.
      expect(accepted.filter((count) => count === points).length).toBeGreaterThanOrEqual(50);
      expect(accepted.length).toBeLessThan(65);
    }
  }, 300_000);

  it.each([
    // A draw takes a sixteenth of what is left, at least one point, and each process is refused once: 26, 46 and 82 draws.
    { points: 20, perAccepted: 2.5 },
    { points: 90, perAccepted: 0.7 },
    { points: 1_000, perAccepted: 0.1 },
  ])(
    'ask the database at most $perAccepted times per accepted request of $points',
    async ({ points, perAccepted }) => {
      const key = newKey('operations');
      const traffic = [{ key, points, windowSeconds: 60, perSecond: 200 }];
      const results = await runEight({ uri, seconds: 15, timeoutMs, trafficOf: () => traffic });
      const operations = sumOf(results, 'operations');
      expect(acceptedOf(results, key)).toEqual([points]);
      expect(operations / points).toBeLessThanOrEqual(perAccepted);
      expect(operations / sumOf(results, 'requests')).toBeLessThanOrEqual(0.01);
    },
    120_000,
  );

  it('are short by at most one portion where traffic leaves one of them', async () => {
    const points = 90;
    const key = newKey('leaving');
    const results = await runEight({
      uri,
      seconds: 10,
      timeoutMs,
      trafficOf: (process) => [{ key, points, windowSeconds: 60, perSecond: process === 0 ? 0.2 : 20 }],
    });
    const [accepted = 0] = acceptedOf(results, key);
    expect(accepted).toBeGreaterThan(points - Math.ceil(points / (2 * processes)));
    expect(accepted).toBeLessThanOrEqual(points);
  }, 120_000);
});
