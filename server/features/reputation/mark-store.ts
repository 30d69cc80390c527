import { type ClientSession, type Connection, Schema } from 'mongoose';
import { bulkCollection, countUpTo, defineModel } from '../../mongo/models.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';

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

    /** Up to this many marked days, each once, in no particular order. */
    async listDays(limit: number): Promise<OutcomeDay[]> {
      const place = { anchorId: '$anchorId', corridor: '$corridor', day: '$day' };
      const found = await model
        .aggregate<{ _id: OutcomeDay }>([{ $group: { _id: place } }, { $limit: limit }])
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
