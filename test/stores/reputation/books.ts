import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { intentModel } from '../../../server/features/intents/store.js';
import { createReputationFeature, reputationLeases } from '../../../server/features/reputation/feature.js';
import type { FoldableIntent } from '../../../server/features/reputation/foldable-intent.js';
import { createFolder } from '../../../server/features/reputation/folder.js';
import { forEachBucket } from '../../../server/features/reputation/histogram.rules.js';
import { createRebuild } from '../../../server/features/reputation/rebuild.js';
import { findRollups, idsBelow, reputationStore } from '../../../server/features/reputation/store.js';
import { prepareCollections } from '../../../server/mongo/collections.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { silentLogger } from '../../helpers/silent-logger.js';
import { foldable } from '../../unit/reputation/foldable.js';
import { fleetView, type TestFleet } from './fleet.js';

/** A database with intents, and everything that folds them, on a connection of its own. */
export async function openBooks(uri: string, options: { leaseTtlMs?: number; batchSize?: number } = {}) {
  const connection = await connectMongo({ uri });
  intentModel(connection);
  const store = reputationStore(connection);
  const owner = randomBytes(4).toString('hex');
  const leases = createLeases({ connection, owner, logger: silentLogger });
  await prepareCollections(connection);
  await leases.seed(reputationLeases);
  const deps = { store, leases, inTransaction: createInTransaction(connection), logger: silentLogger };
  return {
    ...deps,
    connection,
    folder: createFolder({ ...deps, ...options }),
    rebuilder: createRebuild({ ...deps, ...options }),
    close: () => connection.close(),
  };
}

export type Books = Awaited<ReturnType<typeof openBooks>>;

/** Inserts intents that differ in id only where `changes` does not say otherwise. */
export async function insertIntents(
  books: { connection: Connection; store: Books['store'] },
  count: number,
  changes: (index: number) => Partial<FoldableIntent>,
): Promise<string[]> {
  const intents = Array.from({ length: count }, (_, index) =>
    foldable({ _id: randomBytes(32).toString('hex'), ...changes(index) }),
  );
  for (let from = 0; from < count; from += 5_000) {
    await books.store.intents.insertMany(intents.slice(from, from + 5_000), { timeoutMS: 20_000 });
  }
  return intents.map(({ _id }) => _id);
}

/** What all roll-ups of the generation in force add up to. */
export async function totals(store: Books['store'], generation = 1) {
  const rows = await findRollups(store, idsBelow(String(generation)));
  const sum = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + pick(row), 0);
  return {
    filled: sum(({ filled }) => filled),
    notFilled: sum(({ notFilled }) => notFilled),
    accountDays: sum(({ accountDays }) => accountDays),
    quotedOutcomes: sum(({ quotedOutcomes }) => quotedOutcomes),
    shortfallPpb: sum(({ shortfallPpb }) => shortfallPpb),
    acceptedDisputes: sum(({ acceptedDisputes }) => acceptedDisputes),
    settled: sum(({ settle }) => {
      let all = 0;
      forEachBucket(settle, (_bucket, count) => {
        all += count;
      });
      return all;
    }),
  };
}

/** The whole feature over the fleet and the clock given. */
export function openFeature(
  books: Pick<Books, 'connection' | 'leases' | 'inTransaction'>,
  options: {
    fleet: TestFleet;
    now: () => number;
    latestBatch?: () => Promise<{ sequence: number; root: string } | null>;
  },
) {
  return createReputationFeature({
    ...books,
    fleet: fleetView(options.fleet),
    latestBatch: options.latestBatch ?? (async () => null),
    clock: options.now,
    logger: silentLogger,
  });
}
