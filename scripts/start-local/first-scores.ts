import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../contract/index.js';

const patienceMs = 10_000;
const pollMs = 250;

/**
 * Waits for the first scores of a new database, and drops the quotes that were made without them, so that the first
 * visitor finds them. Should they take longer, nothing is wrong: quotes show them some seconds later.
 */
export async function showFirstScores(serviceUrl: string, adminKey: string): Promise<void> {
  const client = createClient(serviceUrl, { adminKey });
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const answer = await client.reputation.getLeaderboard({ query: {} });
    if (answer.status === 200 && answer.body.items.length > 0) break;
    await sleep(pollMs);
  }
  await client.adminCache.invalidateCache();
}
