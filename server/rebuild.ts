/**
 * Counts every intent again and compares the result with the roll-ups in force: `node dist/server/rebuild.js`;
 * `--adopt` puts the new counts in their place. Reads MONGODB_URI and MONGODB_DATABASE. Exits with 0 if both agree,
 * with 1 if they do not, and with 2 if the command failed, for example because another instance is aggregating.
 */
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { createAggregationStore } from './features/intents/aggregation-store.js';
import { aggregationLease } from './features/reputation/aggregator.js';
import { createRebuild } from './features/reputation/rebuild.js';
import { createReputationStore } from './features/reputation/store.js';
import { silentLogger } from './logger.js';
import { createLeases } from './mongo/leases.js';
import { createInTransaction } from './mongo/transactions.js';
import { onServiceDatabase, refuse, runCommand } from './operator-command.js';
import { atMostEvery } from './timing.js';

const progressMs = 2_000;

async function rebuild(connection: Connection, adopt: boolean): Promise<number> {
  const intents = createAggregationStore(connection);
  const leases = createLeases({ connection, owner: `rebuild-${process.pid}`, logger: silentLogger });
  await leases.seed([aggregationLease]);
  const recount = createRebuild({
    store: createReputationStore(connection),
    intents,
    leases,
    inTransaction: createInTransaction(connection),
    logger: silentLogger,
  });
  const onProgress = atMostEvery(
    progressMs,
    () => performance.now(),
    (counted: number) => process.stderr.write(`${counted.toLocaleString('en-US')} intents counted …\n`),
  );
  const run = await recount({ adopt, onProgress });
  if (!run.ran) {
    return refuse(
      `Another instance has been counting outcomes since ${run.startedAt}; try again in a moment.`,
    );
  }
  process.stdout.write(`${JSON.stringify(run.value, null, 2)}\n`);
  return run.value.differing === 0 && run.value.stale === 0 ? 0 : 1;
}

const hasIntents = (connection: Connection) => createAggregationStore(connection).collectionExists();

runCommand(async () => {
  const { values } = parseArgs({ options: { adopt: { type: 'boolean', default: false } } });
  return onServiceDatabase(hasIntents, (connection) => rebuild(connection, values.adopt));
});
