import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import { bulkCollection, defineModel } from '../../mongo/models.js';
import type { AggregatableIntent } from './aggregatable-intent.js';
import type { AccountDay } from './aggregation.rules.js';
import type { Rollup } from './card.rules.js';
import type { CardRow } from './card-row.js';

/**
 * `_id` is the generation and the `rollupKey` with a space between, so that one range holds the days of an anchor
 * in order. Integers only; a rebuild writes a generation of its own.
 */
export interface RollupRow extends Omit<Rollup, 'settle'> {
  _id: string;
  generation: number;
  /** A PackedHistogram. */
  settle: mongo.Binary;
}

/** `_id` is the generation and the `accountDayKey`. */
export interface AccountDayRow extends AccountDay {
  _id: string;
}

/** Which generation of roll-ups and which run of cards are in force. */
export interface ReputationState {
  _id: 'rollups' | 'cards';
  generation?: number;
  run?: number;
  /** The run before, kept so that pages begun on it can be read to their end. */
  previousRun?: number | null;
  computedAt?: Date;
  previousComputedAt?: Date | null;
  /** Speed targets by corridor, those of corridors that have left the fleet included. */
  speedTargets?: Record<string, number>;
}

const count = { type: Number, required: true };
const text = { type: String, required: true };

const rollupSchema = new Schema<RollupRow>(
  {
    _id: text,
    generation: count,
    anchorId: text,
    corridor: text,
    day: text,
    filled: count,
    notFilled: count,
    accountDays: count,
    quotedOutcomes: count,
    shortfallPpb: count,
    acceptedDisputes: count,
    settle: { type: Schema.Types.Buffer, required: true },
  },
  { collection: 'reputation_rollups', versionKey: false, minimize: false },
);

const accountDaySchema = new Schema<AccountDayRow>(
  { _id: text, admitted: count, counting: count },
  { collection: 'reputation_account_days', versionKey: false },
);

const cardSchema = new Schema<CardRow>(
  {
    _id: text,
    run: count,
    window: count,
    anchorId: text,
    anchorName: text,
    simulated: { type: Boolean, required: true },
    corridor: text,
    position: { type: Number, default: null },
    rank: { type: Number, default: null },
    scoredCorridors: count,
    record: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'reputation_cards', versionKey: false },
);
cardSchema.index({ run: 1, window: 1, corridor: 1, position: 1 }, { name: 'ranking' });

const stateSchema = new Schema<ReputationState>(
  {
    _id: text,
    generation: Number,
    run: Number,
    previousRun: Number,
    computedAt: Date,
    previousComputedAt: Date,
    speedTargets: Schema.Types.Mixed,
  },
  { collection: 'reputation_state', versionKey: false },
);

/** The collections of reputation. Hot writes go through the driver's own collections: no casting, no defaults. */
export function reputationStore(connection: Connection) {
  return {
    rollups: defineModel(connection, 'ReputationRollup', rollupSchema),
    accountDays: defineModel(connection, 'ReputationAccountDay', accountDaySchema),
    cards: defineModel(connection, 'ReputationCard', cardSchema),
    state: defineModel(connection, 'ReputationState', stateSchema),
    /** For the folder's transactions. */
    bulk: {
      rollups: bulkCollection<RollupRow>(connection, 'reputation_rollups'),
      accountDays: bulkCollection<AccountDayRow>(connection, 'reputation_account_days'),
      intents: bulkCollection<AggregatableIntent>(connection, 'intents'),
    },
    /** Owned by the intents feature; reputation reads AggregatableIntent and writes `counted`, `admission`, `unfolded`. */
    intents: connection.getClient().db(connection.name).collection<AggregatableIntent>('intents'),
  };
}

export type ReputationStore = ReturnType<typeof reputationStore>;

const firstGeneration = 1;

/** The generation of roll-ups in force. */
export async function currentGeneration(store: ReputationStore, session?: ClientSession): Promise<number> {
  const row = await store.state
    .findById('rollups')
    .session(session ?? null)
    .lean();
  return row?.generation ?? firstGeneration;
}

/** The members that AggregatableIntent names, and no others: an intent holds much that is none of reputation's business. */
export const aggregatableFields: { readonly [K in keyof AggregatableIntent]: 1 } = {
  _id: 1,
  anchorId: 1,
  corridor: 1,
  account: 1,
  sellAmount: 1,
  outcome: 1,
  scored: 1,
  unscoredReason: 1,
  disputeEffect: 1,
  unfolded: 1,
  counted: 1,
  admission: 1,
};

/** Reads roll-ups by their `_id`s, in order or against it. */
export async function findRollups(
  store: ReputationStore,
  ids: mongo.Condition<string>,
  options: { corridor?: string | null; session?: ClientSession; limit?: number } = {},
): Promise<(Rollup & { _id: string })[]> {
  const { corridor = null, session, limit = 0 } = options;
  const rows = await store.rollups.collection
    .find<RollupRow>(
      { _id: ids as never, ...(corridor === null ? {} : { corridor }) },
      { limit, sort: { _id: 1 }, promoteBuffers: true, ...(session === undefined ? {} : { session }) },
    )
    .toArray();
  return rows as unknown as (Rollup & { _id: string })[];
}

/** The `_id`s that begin with this text and a space: `!` is the character after the space. */
export function idsBelow(prefix: string): { $gte: string; $lt: string } {
  return { $gte: `${prefix} `, $lt: `${prefix}!` };
}
