import { type ClientSession, type Connection, mongo, Schema } from 'mongoose';
import { bulkCollection, defineModel } from '../../mongo/models.js';
import {
  type AccountDay,
  type AggregationPlan,
  accountDayKey,
  type RollupDelta,
} from './aggregation.rules.js';
import {
  counterNames,
  eachCounter,
  eachHistogram,
  emptyCounts,
  type HistogramName,
  histogramNames,
  isLong,
  type Rollup,
} from './counters.rules.js';
import { changeHistogram, emptyHistogram } from './settle-histogram.rules.js';
import type { CountedAccountDay } from './spread.rules.js';

/** The daily roll-ups and the account-days, in generations: a rebuild counts everything into a new generation. */
export interface RollupStore {
  /** The account-days of these keys; those never written are absent. With a session, as that transaction sees them. */
  readAccountDays(
    session: ClientSession | null,
    generation: number,
    keys: readonly string[],
  ): Promise<Map<string, AccountDay>>;
  /** Adds a plan to the roll-ups and account-days of a generation. Only the holder of the aggregation lease may call it. */
  addCounts(
    session: ClientSession,
    generation: number,
    plan: Pick<AggregationPlan, 'rollups' | 'accountDays'>,
  ): Promise<void>;
  /** The roll-ups of an anchor from one UTC day to another (default: the last), both included, ordered by day. */
  listOfAnchor(
    generation: number,
    anchorId: string,
    range: { from: string; to?: string; corridor?: string | null },
  ): Promise<Rollup[]>;
  /** The newest account-days of an anchor with an outcome, newest first, back to a UTC day. */
  listAccountDaysOfAnchor(
    generation: number,
    anchorId: string,
    range: { from: string; limit: number },
  ): Promise<CountedAccountDay[]>;
  /** Replaces an account by another name in these account-days. Only the holder of the aggregation lease may call it. */
  renameAccountDays(
    session: ClientSession,
    generation: number,
    days: readonly Pick<Rollup, 'anchorId' | 'corridor' | 'day'>[],
    names: { account: string; instead: string },
  ): Promise<void>;
  /** Writes the first day of every account of a generation into `collection`; earlier days that are there are kept. */
  mergeFirstDaysInto(generation: number, collection: string): Promise<void>;
  /** The latest UTC days with an outcome, newest first; with `before`, only earlier ones. */
  listDaysWithOutcomes(
    generation: number,
    anchorId: string,
    query: { corridor: string | null; before: string | null; limit: number },
  ): Promise<string[]>;
  /** All roll-ups of a generation with their keys, in pages. */
  pages(generation: number): AsyncGenerator<KeyedRollup[]>;
  /** The roll-ups of a generation that have one of these keys. */
  findByKeys(
    generation: number,
    keys: readonly string[],
    session?: ClientSession,
  ): Promise<Map<string, Rollup>>;
  /** Removes some of the data of other generations. Returns false once none is left. */
  dropSomeOfOthers(session: ClientSession, generation: number): Promise<boolean>;
}

/** `key` is the `rollupKey`. */
export interface KeyedRollup {
  key: string;
  rollup: Rollup;
}

/** `_id` is the generation and the `rollupKey`, so that one range holds the days of an anchor in order. */
interface RollupDocument
  extends Omit<Rollup, HistogramName>,
    /** Each a PackedHistogram. */
    Record<HistogramName, mongo.Binary> {
  _id: string;
  generation: number;
}

/** `_id` is the generation and the `accountDayKey`. */
interface AccountDayDocument extends AccountDay {
  _id: string;
}

const whole = { type: Number, required: true };
const text = { type: String, required: true };

const rollupSchema = new Schema<RollupDocument>(
  {
    _id: text,
    generation: whole,
    anchorId: text,
    corridor: text,
    day: text,
    ...eachCounter(() => whole),
    ...eachHistogram(() => ({ type: Schema.Types.Buffer, required: true })),
  },
  { collection: 'reputation_rollups', versionKey: false, minimize: false },
);

const accountDaySchema = new Schema<AccountDayDocument>(
  { _id: text, admitted: whole, counting: whole, verified: { type: Number, default: 0 } },
  { collection: 'reputation_account_days', versionKey: false },
);

const pageSize = 500;
/** The merge reads every account-day, once in the life of a database. */
const mergeTimeoutMs = 120_000;

/** Hot reads and writes go through the driver's own collections: no casting, no defaults. */
export function createRollupStore(connection: Connection): RollupStore {
  const rollups = defineModel(connection, 'ReputationRollup', rollupSchema);
  const accountDays = defineModel(connection, 'ReputationAccountDay', accountDaySchema);
  const bulkRollups = bulkCollection<RollupDocument>(connection, rollups.collection.name);
  const bulkAccountDays = bulkCollection<AccountDayDocument>(connection, accountDays.collection.name);

  async function find(
    filter: object,
    options: { session?: ClientSession | undefined; limit?: number } = {},
  ): Promise<(Rollup & { _id: string })[]> {
    const { session, limit = 0 } = options;
    const found = await rollups.collection
      .find<Rollup & { _id: string }>(filter, {
        limit,
        sort: { _id: 1 },
        promoteBuffers: true,
        ...(session === undefined ? {} : { session }),
      })
      .toArray();
    // A roll-up stored before a counter existed lacks it. Complete ones are not copied: a refresh reads thousands of them.
    return found.map((document) => (isComplete(document) ? document : { ...emptyCounts, ...document }));
  }

  const store: RollupStore = {
    async readAccountDays(session, generation, keys) {
      const found = await accountDays
        .find({ _id: { $in: keys.map((key) => `${generation} ${key}`) } })
        .session(session)
        .lean();
      return new Map(
        found.map(({ _id, admitted, counting, verified = 0 }) => [
          keyOf(generation, _id),
          { admitted, counting, verified },
        ]),
      );
    },

    async addCounts(session, generation, plan) {
      const changes = [...plan.rollups].filter(([, delta]) => changesSomething(delta));
      if (changes.length > 0) {
        // Read and written back in one transaction: the aggregator is the only writer.
        const keys = changes.map(([key]) => key);
        const before = await store.findByKeys(generation, keys, session);
        const updates = changes.map(([key, delta]) => ({
          updateOne: {
            filter: { _id: `${generation} ${key}` },
            update: increments(delta, generation, before.get(key)),
            upsert: true,
          },
        }));
        await bulkRollups.bulkWrite(updates, { session, ordered: false });
      }
      if (plan.accountDays.size > 0) {
        const updates = [...plan.accountDays].map(([key, { admitted, counting, verified }]) => ({
          updateOne: {
            filter: { _id: `${generation} ${key}` },
            update: { $set: { admitted, counting, verified } },
            upsert: true,
          },
        }));
        await bulkAccountDays.bulkWrite(updates, { session, ordered: false });
      }
    },

    listOfAnchor(generation, anchorId, { from, to, corridor = null }) {
      const prefix = `${generation} ${anchorId}`;
      const end = idsBelow(to === undefined ? prefix : `${prefix} ${to}`).$lt;
      return find({
        _id: { $gte: `${prefix} ${from}`, $lt: end },
        ...(corridor === null ? {} : { corridor }),
      });
    },

    async listAccountDaysOfAnchor(generation, anchorId, { from, limit }) {
      const prefix = `${generation} ${anchorId}`;
      const found = await accountDays.collection
        .find<AccountDayDocument>(
          { _id: { $gte: `${prefix} ${from}`, $lt: idsBelow(prefix).$lt } as never, counting: { $gt: 0 } },
          { sort: { _id: -1 }, limit, projection: { counting: 1 } },
        )
        .toArray();
      return found.map(({ _id, counting }) => {
        const [, , day = '', corridor = '', account = ''] = _id.split(' ');
        return { day, corridor, account, outcomes: counting };
      });
    },

    async renameAccountDays(session, generation, days, { account, instead }) {
      const idOf = (place: (typeof days)[number], name: string) =>
        `${generation} ${accountDayKey({ ...place, account: name }, place.day)}`;
      const newIds = new Map(days.map((place) => [idOf(place, account), idOf(place, instead)]));
      const found = await accountDays
        .find({ _id: { $in: [...newIds.keys()] } })
        .session(session)
        .lean();
      if (found.length === 0) return;
      await accountDays.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
      const renamed = found.map((each) => ({ ...each, _id: newIds.get(each._id) ?? each._id }));
      await bulkAccountDays.insertMany(renamed, { session });
    },

    async mergeFirstDaysInto(generation, collection) {
      const part = (index: number) => ({ $arrayElemAt: [{ $split: ['$_id', ' '] }, index] });
      const earlier = { $min: ['$firstDay', '$$new.firstDay'] };
      await accountDays
        .aggregate([
          { $match: { _id: idsBelow(String(generation)) } },
          { $group: { _id: part(4), firstDay: { $min: part(2) } } },
          { $merge: { into: collection, whenMatched: [{ $set: { firstDay: earlier } }] } },
        ])
        .option({ timeoutMS: mergeTimeoutMs });
    },

    async listDaysWithOutcomes(generation, anchorId, { corridor, before, limit }) {
      const prefix = `${generation} ${anchorId}`;
      const range = idsBelow(prefix);
      const days: string[] = [];
      let below = before === null ? range.$lt : `${prefix} ${before}`;
      for (;;) {
        const page = await rollups
          .find(
            { _id: { $gte: range.$gte, $lt: below }, ...(corridor === null ? {} : { corridor }) },
            { day: 1, filled: 1, notFilled: 1 },
          )
          .sort({ _id: -1 })
          .limit(pageSize)
          .lean();
        for (const { day, filled, notFilled } of page) {
          if (filled + notFilled > 0 && days.at(-1) !== day) days.push(day);
          if (days.length === limit) return days;
        }
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return days;
        below = last._id;
      }
    },

    async *pages(generation) {
      const range = idsBelow(String(generation));
      let after = range.$gte;
      for (;;) {
        const page = await find({ _id: { $gt: after, $lt: range.$lt } }, { limit: pageSize });
        const last = page.at(-1);
        if (last === undefined) return;
        yield page.map((rollup) => ({ key: keyOf(generation, rollup._id), rollup }));
        after = last._id;
      }
    },

    async findByKeys(generation, keys, session) {
      const found = await find({ _id: { $in: keys.map((key) => `${generation} ${key}`) } }, { session });
      return new Map(found.map((rollup) => [keyOf(generation, rollup._id), rollup]));
    },

    async dropSomeOfOthers(session, generation) {
      const kept = idsBelow(String(generation));
      const outside = { $or: [{ _id: { $lt: kept.$gte } }, { _id: { $gte: kept.$lt } }] };
      for (const { collection } of [rollups, accountDays]) {
        const found = await collection
          .find<{ _id: string }>(outside as object, { session, projection: { _id: 1 } })
          .limit(pageSize)
          .toArray();
        if (found.length === 0) continue;
        await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) as never[] } }, { session });
        return true;
      }
      return false;
    },
  };
  return store;
}

function isComplete(document: Rollup): boolean {
  return [...counterNames, ...histogramNames].every((name) => document[name] !== undefined);
}

/** The ids that begin with this text and a space: `!` is the character after the space. */
export function idsBelow(prefix: string): { $gte: string; $lt: string } {
  return { $gte: `${prefix} `, $lt: `${prefix}!` };
}

function keyOf(generation: number, id: string): string {
  return id.slice(`${generation} `.length);
}

/** Names every counter in every update, so that a roll-up is complete from the start. */
function increments(delta: RollupDelta, generation: number, before: Rollup | undefined) {
  const { anchorId, corridor, day } = delta;
  return {
    $inc: eachCounter((name) => (isLong(name) ? mongo.Long.fromNumber(delta[name]) : delta[name])),
    $set: eachHistogram(
      (name) => new mongo.Binary(changeHistogram(before?.[name] ?? emptyHistogram, delta[name])),
    ),
    $setOnInsert: { generation, anchorId, corridor, day },
  };
}

function changesSomething(delta: RollupDelta): boolean {
  return (
    counterNames.some((name) => delta[name] !== 0) ||
    histogramNames.some((name) => [...delta[name].values()].some((change) => change !== 0))
  );
}
