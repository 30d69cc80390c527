import { type ClientSession, type Connection, Schema } from 'mongoose';
import { bulkCollection, countUpTo, defineModel } from '../../mongo/models.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';

/**
 * The days that have to be counted anew. Every change of an outcome inserts a mark of its own, in its transaction: a mark
 * that all changes of a day updated would be a document for which all of them wait.
 */
export interface MarkStore {
  /** Marks days, in the transaction that changes their outcomes. */
  insert(session: ClientSession, days: readonly OutcomeDay[]): Promise<void>;
  /** Marks each of these days once. */
  insertAll(days: AsyncIterable<OutcomeDay>): Promise<number>;
  /** Up to this many marked days, each once, in no particular order. */
  listDays(limit: number): Promise<OutcomeDay[]>;
  /** Removes up to `limit` marks of a day, as the transaction sees them. Returns how many there were. */
  take(session: ClientSession, day: OutcomeDay, limit: number): Promise<number>;
  /** How many marks there are, 100,000 at most. */
  count(): Promise<number>;
}

const text = { type: String, required: true };

const markSchema = new Schema<OutcomeDay>(
  { anchorId: text, corridor: text, day: text },
  { collection: 'reputation_marks', versionKey: false },
);
markSchema.index({ anchorId: 1, corridor: 1, day: 1 }, { name: 'by_day' });

const chunk = 1_000;

export function createMarkStore(connection: Connection): MarkStore {
  const model = defineModel(connection, 'ReputationMark', markSchema);
  const inTransactions = bulkCollection<OutcomeDay>(connection, model.collection.name);

  const insertChunk = (days: OutcomeDay[]) => model.insertMany(days, { ordered: false, lean: true });

  return {
    async insert(session, days) {
      if (days.length > 0) await inTransactions.insertMany([...days], { session });
    },

    async insertAll(days) {
      let marked = 0;
      let waiting: OutcomeDay[] = [];
      for await (const day of days) {
        waiting.push(day);
        marked += 1;
        if (waiting.length < chunk) continue;
        await insertChunk(waiting);
        waiting = [];
      }
      if (waiting.length > 0) await insertChunk(waiting);
      return marked;
    },

    async listDays(limit) {
      const place = { anchorId: '$anchorId', corridor: '$corridor', day: '$day' };
      const found = await model
        .aggregate<{ _id: OutcomeDay }>([{ $group: { _id: place } }, { $limit: limit }])
        .hint('by_day');
      return found.map(({ _id }) => _id);
    },

    async take(session, { anchorId, corridor, day }, limit) {
      const marks = await model
        .find({ anchorId, corridor, day }, { _id: 1 })
        .session(session)
        .limit(limit)
        .lean();
      await model.deleteMany({ _id: { $in: marks.map(({ _id }) => _id) } }, { session });
      return marks.length;
    },

    count: () => countUpTo(model, {}, '_id_'),
  };
}
