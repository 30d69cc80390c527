/**
 * Counts every intent anew and compares the result with the roll-ups in force: `tsx scripts/rebuild-reputation.ts`,
 * with `--adopt` to put the new counts in their place. Reads MONGODB_URI and MONGODB_DATABASE. Ends with 0 where both
 * agree, 1 where they do not, 2 while another instance folds.
 */
import { parseArgs } from 'node:util';
import { foldLease } from '../server/features/reputation/folder.js';
import { createRebuild } from '../server/features/reputation/rebuild.js';
import { reputationStore } from '../server/features/reputation/store.js';
import { connectMongo } from '../server/mongo/connection.js';
import { createLeases } from '../server/mongo/leases.js';
import { createInTransaction } from '../server/mongo/transactions.js';
import type { Logger } from '../server/ports.js';

const nothing = () => undefined;
const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => quiet };

async function rebuild(uri: string, database: string | undefined, adopt: boolean): Promise<number> {
  const connection = await connectMongo({
    uri,
    ...(database === undefined ? {} : { databaseName: database }),
  });
  try {
    const leases = createLeases({ connection, owner: `rebuild-${process.pid}`, logger: quiet });
    await leases.seed([foldLease]);
    const { rebuild } = createRebuild({
      store: reputationStore(connection),
      leases,
      inTransaction: createInTransaction(connection),
      logger: quiet,
    });
    const run = await rebuild({ adopt });
    if (!run.ran) {
      console.error(`Outcomes are being counted since ${run.startedAt}; try again in a moment.`);
      return 2;
    }
    console.log(JSON.stringify(run.value, null, 2));
    return run.value.differing === 0 && run.value.stale === 0 ? 0 : 1;
  } finally {
    await connection.close();
  }
}

const { values } = parseArgs({ options: { adopt: { type: 'boolean', default: false } } });
const { MONGODB_URI: uri, MONGODB_DATABASE: database } = process.env;
if (!uri) {
  console.error('MONGODB_URI is not set.');
  process.exitCode = 2;
} else process.exitCode = await rebuild(uri, database || undefined, values.adopt);
