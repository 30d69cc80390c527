import type { ClientSession, Connection } from 'mongoose';
import { bulkCollection, collectionOf, countUpTo, defineModel, typedSchema } from '../../mongo/models.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import type { Rollup } from './day-count.rules.js';

const markSchema = typedSchema<OutcomeDay>('reputation_marks');
markSchema.index({ anchorId: 1, corridor: 1, day: 1 }, { name: 'by_day' });

const chunk = 1_000;

export type MarkStore = ReturnType<typeof createMarkStore>;

/**
 * The days that have to be counted anew. Every change of an outcome inserts a mark of its own, in its transaction: a mark
 * that all changes of a day updated would be a document for which all of them wait.
 */
export function createMarkStore(connection: Connection) {
  const model = defineModel(connection, 'ReputationMark', markSchema);
  const marks = collectionOf(connection, 'ReputationMark', markSchema);
  const inTransactions = bulkCollection<OutcomeDay>(connection, marks.collectionName);

  return {
    /** Marks days, in the transaction that changes their outcomes. */
    async insert(session: ClientSession, days: readonly OutcomeDay[]): Promise<void> {
      if (days.length > 0) await inTransactions.insertMany([...days], { session });
    },

    /** Marks each of these days once. */
    async insertAll(days: readonly OutcomeDay[]): Promise<void> {
      for (let from = 0; from < days.length; from += chunk)
        await marks.insertMany(days.slice(from, from + chunk), { ordered: false });
    },

    /** Up to this many marked days, each once, in random order: days that cannot be counted hold up no others. */
    async listDays(limit: number): Promise<OutcomeDay[]> {
      const place = { anchorId: '$anchorId', corridor: '$corridor', day: '$day' };
      const stages = [{ $group: { _id: place } }, { $sample: { size: limit } }, { $replaceWith: '$_id' }];
      return marks.aggregate<OutcomeDay>(stages, { hint: 'by_day' }).toArray();
    },

    /** Removes up to `limit` marks of a day, as the transaction sees them. Returns how many there were. */
    async take(session: ClientSession, day: OutcomeDay, limit: number): Promise<number> {
      const ofDay = { anchorId: day.anchorId, corridor: day.corridor, day: day.day };
      const found = await marks.find(ofDay, { session, limit, projection: { _id: 1 } }).toArray();
      await marks.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
      return found.length;
    },

    /** How many marks there are, 100,000 at most. */
    count: () => countUpTo(model, {}, '_id_'),
  };
}

const rollupSchema = typedSchema<Rollup>('reputation_rollups');
rollupSchema.index({ anchorId: 1, day: 1, corridor: 1 }, { unique: true, name: 'one_a_day' });

const pageSize = 500;

export type RollupStore = ReturnType<typeof createRollupStore>;

/** The roll-ups, of which a refresh reads thousands. */
export function createRollupStore(connection: Connection) {
  const rollups = collectionOf(connection, 'ReputationRollup', rollupSchema);
  const inCorridor = (corridor: string | null) => (corridor === null ? {} : { corridor });

  return {
    /** Puts this roll-up in the place of the day's earlier one; null removes it. */
    async replace(session: ClientSession, of: OutcomeDay, rollup: Rollup | null): Promise<void> {
      const { anchorId, corridor, day } = of;
      if (rollup === null) await rollups.deleteOne({ anchorId, day, corridor }, { session });
      else await rollups.replaceOne({ anchorId, day, corridor }, rollup, { session, upsert: true });
    },

    /** Stores roll-ups of days that have none yet. For simulated histories. */
    async insertAll(all: readonly Rollup[]): Promise<void> {
      await rollups.insertMany([...all]);
    },

    /** The roll-ups of an anchor from one UTC day to another (default: the last), both included, ordered by day. */
    listOfAnchor(
      anchorId: string,
      { from, to = '9999-12-31', corridor = null }: { from: string; to?: string; corridor?: string | null },
    ): Promise<Rollup[]> {
      return rollups
        .find({ anchorId, day: { $gte: from, $lte: to }, ...inCorridor(corridor) }, { promoteBuffers: true })
        .sort({ day: 1, corridor: 1 })
        .toArray();
    },

    /** The latest UTC days with an outcome, newest first; with `before`, only earlier ones. */
    async listDaysWithOutcomes(
      anchorId: string,
      { corridor, before, limit }: { corridor: string | null; before: string | null; limit: number },
    ): Promise<string[]> {
      const earlier = before === null ? {} : { day: { $lt: before } };
      const withOutcomes = { $or: [{ filled: { $gt: 0 } }, { notFilled: { $gt: 0 } }] };
      const newestFirst = rollups
        .find({ anchorId, ...inCorridor(corridor), ...earlier, ...withOutcomes })
        .project<Pick<Rollup, 'day'>>({ day: 1 })
        .sort({ day: -1 })
        .batchSize(pageSize);
      const days = new Set<string>();
      for await (const { day } of newestFirst) {
        days.add(day);
        if (days.size === limit) break;
      }
      return [...days];
    },

    /** The days of all roll-ups. */
    days: () => rollups.find().project<OutcomeDay>({ _id: 0, anchorId: 1, corridor: 1, day: 1 }),
  };
}
