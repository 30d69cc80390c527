/**
 * A process of its own that folds or refreshes once and ends: 0 when it did (the number of commands it sent on
 * standard output), 3 when its lease was held or lost, 4 on anything else. Before the command that `STRIKE` names it
 * sends itself the signal: by number, counted from the start of the job, or by the command's name.
 */
import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { createReputationFeature } from '../../../server/features/reputation/feature.js';
import { createFolder } from '../../../server/features/reputation/folder.js';
import { reputationStore } from '../../../server/features/reputation/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { isMongoUnavailable } from '../../../server/mongo/failures.js';
import { createLeases, LeaseLostError } from '../../../server/mongo/leases.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { silentLogger } from '../../helpers/silent-logger.js';
import { fleetView, type TestFleet } from '../../stores/reputation/fleet.js';

export interface Task {
  uri: string;
  job: 'fold' | 'refresh';
  leaseTtlMs: number;
  batchSize: number;
  fleet: TestFleet;
  strike: { at: number | string; signal: 'SIGKILL' | 'SIGSTOP' } | null;
}

/** A busy machine may take longer over it than the service would wait. */
async function connectPatiently(uri: string): Promise<Connection> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connectMongo({ uri });
    } catch (error) {
      if (tries === 10 || !isMongoUnavailable(error)) throw error;
    }
  }
}

async function run(task: Task): Promise<number> {
  const connection = await connectPatiently(`${task.uri}&monitorCommands=true`);
  const owner = randomBytes(4).toString('hex');
  const leases = createLeases({ connection, owner, logger: silentLogger });
  const deps = {
    connection,
    leases,
    store: reputationStore(connection),
    inTransaction: createInTransaction(connection),
    logger: silentLogger,
    clock: Date.now,
    leaseTtlMs: task.leaseTtlMs,
    batchSize: task.batchSize,
    fleet: fleetView(task.fleet),
    latestBatch: async () => null,
  };
  let sent = 0;
  connection.getClient().on('commandStarted', ({ commandName }) => {
    sent += 1;
    if (task.strike !== null && (task.strike.at === sent || task.strike.at === commandName)) {
      const { signal } = task.strike;
      task.strike = null;
      process.kill(process.pid, signal);
    }
  });
  const feature = createReputationFeature(deps);
  try {
    if (task.job === 'refresh') await feature.reputation.refreshNow();
    else if (!(await createFolder(deps).fold()).ran) return 3;
    process.stdout.write(`${sent}\n`);
    return 0;
  } finally {
    await connection.close();
  }
}

run(JSON.parse(process.argv[2] ?? '') as Task).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(error instanceof LeaseLostError ? 3 : 4);
  },
);
