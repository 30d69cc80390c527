import { expect, it } from '@jest/globals';
import { clients, runEight, windows } from '../../fixtures/limits/eight-limiters.js';
import { testDatabase } from '../../support/database.js';

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
