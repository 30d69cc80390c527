import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { createAggregationStore } from '../features/intents/aggregation-store.js';
import { aggregationLease } from '../features/reputation/aggregator.js';
import { createRebuild } from '../features/reputation/rebuild.js';
import { createReputationStore } from '../features/reputation/store.js';
import { silentLogger } from '../logger.js';
import { createLeases } from '../mongo/leases.js';
import { createInTransaction } from '../mongo/transactions.js';
import { atMostEvery } from '../timing.js';
import { type Command, CommandError, onServiceDatabase, type Result } from './command.js';

const progressMs = 2_000;

export const rebuild: Command = {
  usage: '[--adopt]',
  does: 'Counts every intent again and compares the result with the reputation in force.',
  details: `
--adopt  puts the new counts in force; scores follow with the next refresh

Exits with 1 where they differ. Reads MONGODB_URI and MONGODB_DATABASE.
`,
  run(args) {
    const { values } = parseArgs({ args, options: { adopt: { type: 'boolean', default: false } } });
    return onServiceDatabase((connection) => recount(connection, values.adopt));
  },
};

async function recount(connection: Connection, adopt: boolean): Promise<Result> {
  const leases = createLeases({ connection, owner: `rebuild-${process.pid}`, logger: silentLogger });
  await leases.seed([aggregationLease]);
  const run = createRebuild({
    store: createReputationStore(connection),
    intents: createAggregationStore(connection),
    leases,
    inTransaction: createInTransaction(connection),
    logger: silentLogger,
  });
  const onProgress = atMostEvery(
    progressMs,
    () => performance.now(),
    (counted: number) => process.stderr.write(`${counted.toLocaleString('en-US')} intents counted …\n`),
  );
  const ended = await run({ adopt, onProgress });
  if (!ended.ran) {
    throw new CommandError(
      `Another instance has been counting outcomes since ${ended.startedAt}; try again in a moment.`,
    );
  }
  const { value } = ended;
  return { report: value, complete: value.differing === 0 && value.stale === 0 };
}
