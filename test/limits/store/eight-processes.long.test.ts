import { expect, it } from '@jest/globals';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { clients, runEight, windows } from './eight-limiters.js';

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
