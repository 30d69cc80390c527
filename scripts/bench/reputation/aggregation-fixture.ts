import { randomBytes } from 'node:crypto';
import type { AnchorPage, AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { AggregatableIntent } from '../../../server/features/intents/aggregation.js';
import { createAggregationStore } from '../../../server/features/intents/aggregation-store.js';
import { createAggregator } from '../../../server/features/reputation/aggregator.js';
import { createReputationFeature, reputationLeases } from '../../../server/features/reputation/feature.js';
import { createReputationStore } from '../../../server/features/reputation/store.js';
import { silentLogger } from '../../../server/logger.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { withDatabase } from '../../mongod/uri.js';

const dayMs = 86_400_000;

/** A new database with everything that aggregates and refreshes, over a fleet of the given size. */
export async function openAggregationFixture(uri: string, database: string, fleet: FleetSize) {
  const connection = await connectMongo({ uri: withDatabase(uri, database) });
  const intents = createAggregationStore(connection);
  const store = createReputationStore(connection);
  const leases = createLeases({ connection, owner: 'bench', logger: silentLogger });
  await prepareCollections(connection);
  await leases.seed(reputationLeases);
  const inTransaction = createInTransaction(connection);
  const deps = { connection, store, intents, leases, inTransaction, logger: silentLogger };
  const feature = createReputationFeature({
    ...deps,
    fleet: fleetOf(fleet),
    ledger: null,
    publicCache: false,
    clock: Date.now,
  });
  return { ...deps, aggregator: createAggregator(deps), feature, close: () => connection.close() };
}

export type AggregationFixture = Awaited<ReturnType<typeof openAggregationFixture>>;

export interface FleetSize {
  anchors: number;
  corridors: number;
}

function anchorId(index: number): string {
  return `anchor-${String(index).padStart(4, '0')}`;
}

export function corridorId(index: number): string {
  return `usdc-c${String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))}`;
}

function fleetOf({ anchors, corridors }: FleetSize) {
  const places = Array.from({ length: corridors }, (_, index) => corridorId(index));
  const all: AnchorSummary[] = Array.from({ length: anchors }, (_, index) => ({
    id: anchorId(index),
    name: `Anchor ${index}`,
    note: null,
    status: 'active',
    simulated: true,
    homeDomain: null,
    corridors: places.map((corridor) => ({ corridor, deliveryMethods: ['bank_account'] })),
    onboardedAt: '2026-01-01T00:00:00.000Z',
    delistedAt: null,
  }));
  return {
    async listAnchors({
      limit,
      cursor = '0',
    }: {
      limit: string;
      cursor?: string | undefined;
    }): Promise<AnchorPage> {
      const end = Number(cursor) + Number(limit);
      return { items: all.slice(Number(cursor), end), nextCursor: end < all.length ? String(end) : null };
    },
    corridors: () => places.map((id) => ({ id, speedTargetSeconds: 600 })),
    async getAnchor(id: string): Promise<AnchorSummary> {
      const found = all.find((each) => each.id === id);
      if (found === undefined) throw new Error(`no anchor ${id}`);
      return found;
    },
  };
}

/** The stored form of an intent. */
export function toStored({ pendingAggregation: unfolded, ...intent }: AggregatableIntent) {
  return { ...intent, unfolded };
}

/** The outcome of a number: anchors, corridors and days in turn, settle times from half a minute to ten. */
export function outcomeOf(index: number, spread: FleetSize & { days: number }): AggregatableIntent {
  const wave = Math.sin(index * 12.9898) * 43_758.5453;
  const place = Math.floor(index / spread.days);
  return {
    _id: randomBytes(32).toString('hex'),
    anchorId: anchorId(place % spread.anchors),
    corridor: corridorId(Math.floor(place / spread.anchors) % spread.corridors),
    account: `G${index}`,
    sellAmount: '100',
    outcome: {
      kind: index % 25 === 0 ? 'failed' : 'settled',
      reason: 'completed',
      recordedAt: new Date(Date.now() - (index % spread.days) * dayMs),
      settleSeconds: Math.round(30 * 20 ** (wave - Math.floor(wave))),
      shortfallPpb: index % 1_000,
    },
    scored: true,
    unscoredReason: null,
    disputeEffect: null,
    pendingAggregation: true,
    counted: null,
    admission: null,
  };
}
