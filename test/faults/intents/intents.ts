import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { noEndpoints } from '../../../server/features/anchors/sep1.rules.js';
import { createMakeProgress } from '../../../server/features/intents/progress.js';
import { createReconcile, type ReconcileLimits } from '../../../server/features/intents/reconcile.js';
import { intentModel } from '../../../server/features/intents/store.js';
import { createTransactionPoll } from '../../../server/features/intents/transaction-poll.js';
import { createWriteEvent } from '../../../server/features/webhooks/outbox.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { createOutbound } from '../../../server/outbound/outbound.js';
import { silentLogger } from '../../helpers/silent-logger.js';

interface Options {
  /** The anchor's. */
  origin: string;
  owner: string;
  leaseTtlMs: number;
  limits?: Partial<ReconcileLimits>;
}

/** What follows intents, as one process of the service has it, in front of one anchor that grants a token. */
export function openIntents(connection: Connection, options: Options) {
  const { origin, owner, leaseTtlMs } = options;
  const outbound = createOutbound({ allow: [origin] });
  const model = intentModel(connection);
  const newId = () => randomBytes(16).toString('hex');
  const leases = createLeases({ connection, owner, logger: silentLogger });
  const progress = createMakeProgress({
    model,
    inTransaction: createInTransaction(connection),
    writeEvent: createWriteEvent({ connection, clock: Date.now, newId }),
    clock: Date.now,
    limits: { failureGraceMs: 86_400_000 },
  });
  const poll = createTransactionPoll({
    directory: {
      anchor: (id) => ({ id, name: id, corridors: [], simulated: true }),
      endpointsOf: async () => ({ ...noEndpoints, transferServerSep24: `${origin}/sep24` }),
      tokenFor: () => 'token',
    },
    outbound: outbound.request,
    clock: Date.now,
  });
  const limits = { leaseTtlMs, pollSpacingMs: 0, ...options.limits };
  const reconcile = createReconcile({
    model,
    leases,
    progress,
    poll,
    clock: Date.now,
    logger: silentLogger,
    limits,
  });

  /** As callbacks do it: each record is brought to its intent, all at once and under no lease. */
  async function bringAll(): Promise<string[]> {
    const open = await model.find({ open: true }).lean();
    const turned = open.map(async ({ _id, anchorId, transactionId = '' }) => {
      const read = await poll(anchorId, transactionId, 'sep24');
      if (read.kind !== 'record') throw new Error(read.kind);
      const made = await progress(_id, { sight: read, dialect: read.dialect });
      return made !== undefined && made.before !== made.after ? [_id] : [];
    });
    return (await Promise.all(turned)).flat();
  }

  return { model, leases, reconcile, bringAll, close: () => outbound.close() };
}
