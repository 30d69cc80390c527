/**
 * A history for a simulated fleet, so that a first visit finds scores and not an empty page. start-local.ts calls it
 * before the service starts. None of it happened, and every anchor in it is marked as simulated.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { createAggregationStore } from '../server/features/intents/aggregation-store.js';
import { createIntentStore } from '../server/features/intents/store.js';
import { createAggregator } from '../server/features/reputation/aggregator.js';
import { reputationLeases } from '../server/features/reputation/feature.js';
import { createReputationStore } from '../server/features/reputation/store.js';
import { silentLogger } from '../server/logger.js';
import { createLeases } from '../server/mongo/leases.js';
import { prepareCollections } from '../server/mongo/models.js';
import { createInTransaction } from '../server/mongo/transactions.js';
import type { Clock, Random } from '../server/ports.js';
import { pastIntents } from './seed-history/past-intents.js';
import type { Fleet } from './simulated-anchors/fleet-file.js';

export interface SeedHistoryOptions {
  connection: Connection;
  fleet: Pick<Fleet, 'simulated' | 'corridors' | 'anchors'>;
  clock: Clock;
  random: Random;
  /** A factor for settle times, as for the simulated anchors. */
  pace?: number;
  /** Called after every thousand with the number written and the total. */
  onProgress?: (written: number, all: number) => void;
}

const chunk = 1_000;
const patienceMs = 30_000;

/**
 * Writes some 90 days of intents and counts them as the service itself would. Does nothing for a fleet that is not
 * simulated, nor for a database that has an intent already: once, however often it is called. Resolves to how many
 * intents it wrote.
 */
export async function seedHistory(options: SeedHistoryOptions): Promise<number> {
  const { connection, fleet } = options;
  if (fleet.simulated !== true || fleet.anchors.some(({ simulated }) => simulated !== true)) return 0;
  const intents = createIntentStore(connection);
  const aggregation = createAggregationStore(connection);
  const leases = createLeases({ connection, owner: 'seed-history', logger: silentLogger });
  await prepareCollections(connection);
  if (!(await intents.isEmpty())) return 0;

  const past = pastIntents({ ...options, pace: options.pace ?? 1 });
  for (let from = 0; from < past.length; from += chunk) {
    await intents.insertAll(past.slice(from, from + chunk));
    options.onProgress?.(Math.min(from + chunk, past.length), past.length);
  }
  await leases.seed(reputationLeases);
  const aggregator = createAggregator({
    store: createReputationStore(connection),
    intents: aggregation,
    leases,
    inTransaction: createInTransaction(connection),
    logger: silentLogger,
  });
  const givingUpAt = performance.now() + patienceMs;
  while ((await aggregation.countPendingAggregation()) > 0) {
    const run = await aggregator.aggregate();
    // A service that runs already counts them as well.
    if (!run.ran) await delay(100);
    if (performance.now() > givingUpAt) throw new Error('the history was not counted within 30 s');
  }
  return past.length;
}
