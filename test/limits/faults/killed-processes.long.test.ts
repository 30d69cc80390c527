import { expect, it } from '@jest/globals';
import { clients, runEight } from '../../fixtures/limits/eight-limiters.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const { uri } = testDatabase();

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
