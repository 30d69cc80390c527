/**
 * Erases the data that the service stores of an account: `node dist/server/erase.js G…`; `--dry-run` prints what it
 * would do. Reads MONGODB_URI and MONGODB_DATABASE. Exits with 0 if nothing of the account is left, with 1 if some of
 * it has to stay for now, and with 2 if the command failed. docs/privacy.md says what is kept, why, and for how long.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { parsePublicKey, StrkeyError } from '../contract/verification/strkey.js';
import { createDisputeStore } from './features/disputes/store.js';
import { createAggregationStore } from './features/intents/aggregation-store.js';
import { createEraseAccount } from './features/intents/erasure.js';
import { createErasureStore } from './features/intents/erasure-store.js';
import { aggregationLease } from './features/reputation/aggregator.js';
import { createReputationStore } from './features/reputation/store.js';
import { silentLogger } from './logger.js';
import { readDatabaseTime } from './mongo/database-clock.js';
import { createLeases } from './mongo/leases.js';
import { createInLeasedTransaction, createInTransaction } from './mongo/transactions.js';
import { couldNotBeDone, onServiceDatabase, refuse, runCommand } from './operator-command.js';

async function erase(connection: Connection, account: string, dryRun: boolean): Promise<number> {
  const leases = createLeases({ connection, owner: `erase-${process.pid}`, logger: silentLogger });
  await leases.seed([aggregationLease]);
  const reputation = createReputationStore(connection);
  const disputes = createDisputeStore(connection);
  const eraseAccount = createEraseAccount({
    store: createErasureStore(connection),
    leases,
    lease: aggregationLease,
    inLeasedTransaction: createInLeasedTransaction(createInTransaction(connection)),
    renameAccountDays: async (session, days, names) =>
      reputation.rollups.renameAccountDays(session, await reputation.currentGeneration(session), days, names),
    forgetAccount: reputation.accounts.forget,
    openDisputesAmong: disputes.openAmong,
    disputedAmong: disputes.disputedAmong,
    eraseDisputes: disputes.erase,
    randomBytes: () => randomBytes(32),
    now: () => readDatabaseTime(connection),
  });
  const run = await eraseAccount(account, { dryRun });
  if (!run.ran) {
    return refuse(`Outcomes are being counted since ${run.startedAt}; try again in a moment.`);
  }
  process.stdout.write(
    `${JSON.stringify({ database: connection.name, account, dryRun, ...run.value }, null, 2)}\n`,
  );
  return Object.keys(run.value.kept).length === 0 ? 0 : 1;
}

function accountIn(text: string): string | undefined {
  try {
    return parsePublicKey(text).account;
  } catch (error) {
    if (!(error instanceof StrkeyError)) throw error;
    refuse(`Not an account: ${error.message}`);
    return undefined;
  }
}

const hasIntents = (connection: Connection) => createAggregationStore(connection).collectionExists();

runCommand(async () => {
  const options = { 'dry-run': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) return refuse('Name one account: G…, or 64 hex digits.');
  const account = accountIn(given);
  if (account === undefined) return couldNotBeDone;
  return onServiceDatabase(hasIntents, (connection) => erase(connection, account, values['dry-run']));
});
