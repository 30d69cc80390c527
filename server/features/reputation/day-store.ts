import { type ClientSession, type Connection, Schema } from 'mongoose';
import { bulkCollection, collectionOf, countUpTo, defineModel, typedSchema } from '../../mongo/models.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import type { Rollup } from './day-count.rules.js';

const text = { type: String, required: true };

const markSchema = new Schema<OutcomeDay>(
  { anchorId: text, corridor: text, day: text },
  { collection: 'reputation_marks', versionKey: false },
);
markSchema.index({ anchorId: 1, corridor: 1, day: 1 }, { name: 'by_day' });

const chunk = 1_000;

export type MarkStore = ReturnType<typeof createMarkStore>;

/**
 * The days that have to be counted anew. Every change of an outcome inserts a mark of its own, in its transaction: a mark
 * that all changes of a day updated would be a document for which all of them wait.
 */
export function createMarkStore(connection: Connection) {
  const model = defineModel(connection, 'ReputationMark', markSchema);
  const inTransactions = bulkCollection<OutcomeDay>(connection, model.collection.name);

  return {
    /** Marks days, in the transaction that changes their outcomes. */
    async insert(session: ClientSession, days: readonly OutcomeDay[]): Promise<void> {
      if (days.length > 0) await inTransactions.insertMany([...days], { session });
    },

    /** Marks each of these days once. */
    async insertAll(days: readonly OutcomeDay[]): Promise<void> {
      for (let from = 0; from < days.length; from += chunk)
        await model.insertMany(days.slice(from, from + chunk), { ordered: false, lean: true });
    },

    /** Up to this many marked days, each once, in random order: days that cannot be counted hold up no others. */
    async listDays(limit: number): Promise<OutcomeDay[]> {
      const place = { anchorId: '$anchorId', corridor: '$corridor', day: '$day' };
      const found = await model
        .aggregate<{ _id: OutcomeDay }>([{ $group: { _id: place } }, { $sample: { size: limit } }])
        .hint('by_day');
      return found.map(({ _id }) => _id);
    },

    /** Removes up to `limit` marks of a day, as the transaction sees them. Returns how many there were. */
    async take(
      session: ClientSession,
      { anchorId, corridor, day }: OutcomeDay,
      limit: number,
    ): Promise<number> {
      const marks = await model
        .find({ anchorId, corridor, day }, { _id: 1 })
        .session(session)
        .limit(limit)
        .lean();
      await model.deleteMany({ _id: { $in: marks.map(({ _id }) => _id) } }, { session });
      return marks.length;
    },

    /** How many marks there are, 100,000 at most. */
    count: () => countUpTo(model, {}, '_id_'),
  };
}

/** `_id` is anchor, day and corridor, so that one range holds the days of an anchor in order. */
interface RollupDocument extends Rollup {
  _id: string;
}

const rollupSchema = typedSchema<RollupDocument>('reputation_rollups');

const pageSize = 500;

export type RollupStore = ReturnType<typeof createRollupStore>;

/** The roll-ups, of which a refresh reads thousands. */
export function createRollupStore(connection: Connection) {
  const rollups = collectionOf(connection, 'ReputationRollup', rollupSchema);

  return {
    /** Puts this roll-up in the place of the day's earlier one; null removes it. */
    async replace(session: ClientSession, day: OutcomeDay, rollup: Rollup | null): Promise<void> {
      const _id = idOf(day);
      if (rollup === null) await rollups.deleteOne({ _id }, { session });
      else await rollups.replaceOne({ _id }, rollup, { session, upsert: true });
    },

    /** Stores roll-ups of days that have none yet. For simulated histories. */
    async insertAll(all: readonly Rollup[]): Promise<void> {
      await rollups.insertMany(all.map((rollup) => ({ _id: idOf(rollup), ...rollup })));
    },

    /** The roll-ups of an anchor from one UTC day to another (default: the last), both included, ordered by day. */
    listOfAnchor(
      anchorId: string,
      { from, to, corridor = null }: { from: string; to?: string; corridor?: string | null },
    ): Promise<Rollup[]> {
      const end = endOf(to === undefined ? anchorId : placeOf(anchorId, to));
      const ofCorridor = corridor === null ? {} : { corridor };
      return rollups
        .find({ _id: { $gte: placeOf(anchorId, from), $lt: end }, ...ofCorridor }, { promoteBuffers: true })
        .sort({ _id: 1 })
        .toArray();
    },

    /** The latest UTC days with an outcome, newest first; with `before`, only earlier ones. */
    async listDaysWithOutcomes(
      anchorId: string,
      { corridor, before, limit }: { corridor: string | null; before: string | null; limit: number },
    ): Promise<string[]> {
      const end = before === null ? endOf(anchorId) : placeOf(anchorId, before);
      const days = new Set<string>();
      const newestFirst = rollups
        .find({ _id: { $gte: placeOf(anchorId, ''), $lt: end }, ...(corridor === null ? {} : { corridor }) })
        .project<Pick<Rollup, 'day' | 'filled' | 'notFilled'>>({ day: 1, filled: 1, notFilled: 1 })
        .sort({ _id: -1 })
        .batchSize(pageSize);
      for await (const { day, filled, notFilled } of newestFirst) {
        if (filled + notFilled > 0) days.add(day);
        if (days.size === limit) break;
      }
      return [...days];
    },

    /** The days of all roll-ups. */
    days: () => rollups.find().project<OutcomeDay>({ _id: 0, anchorId: 1, corridor: 1, day: 1 }),
  };
}

function idOf({ anchorId, corridor, day }: OutcomeDay): string {
  return `${anchorId} ${day} ${corridor}`;
}

/** Ends the ids that begin with this text and a space: `!` is the character after the space. */
function endOf(prefix: string): string {
  return `${prefix}!`;
}

function placeOf(anchorId: string, day: string): string {
  return `${anchorId} ${day}`;
}
