import { type ClientSession, type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import { type Rollup, sumNames } from './day-count.rules.js';

/** The roll-ups of all days that have any. */
export interface RollupStore {
  /** Puts this roll-up in the place of the day's earlier one; null removes it. */
  replace(session: ClientSession, day: OutcomeDay, rollup: Rollup | null): Promise<void>;
  /** Stores roll-ups of days that have none yet. For simulated histories. */
  insertAll(rollups: readonly Rollup[]): Promise<void>;
  /** The roll-ups of an anchor from one UTC day to another (default: the last), both included, ordered by day. */
  listOfAnchor(
    anchorId: string,
    range: { from: string; to?: string; corridor?: string | null },
  ): Promise<Rollup[]>;
  /** The latest UTC days with an outcome, newest first; with `before`, only earlier ones. */
  listDaysWithOutcomes(
    anchorId: string,
    query: { corridor: string | null; before: string | null; limit: number },
  ): Promise<string[]>;
  /** The days of all roll-ups. */
  days(): AsyncIterable<OutcomeDay>;
}

/** `_id` is anchor, day and corridor, so that one range holds the days of an anchor in order. */
interface RollupDocument extends Rollup {
  _id: string;
}

const text = { type: String, required: true };
const whole = { type: Number, required: true };
const packed = { type: Schema.Types.Buffer, required: true };

const rollupSchema = new Schema<RollupDocument>(
  {
    _id: text,
    anchorId: text,
    corridor: text,
    day: text,
    ...Object.fromEntries(sumNames.map((name) => [name, whole])),
    settle: packed,
    accounts: packed,
  },
  { collection: 'reputation_rollups', versionKey: false },
);

const pageSize = 500;

/** Uses the driver's own collection: a refresh reads thousands of roll-ups, and needs no casting. */
export function createRollupStore(connection: Connection): RollupStore {
  const { collection } = defineModel(connection, 'ReputationRollup', rollupSchema);
  const rollups = connection.getClient().db(connection.name).collection<RollupDocument>(collection.name);

  return {
    async replace(session, day, rollup) {
      const _id = idOf(day);
      if (rollup === null) await rollups.deleteOne({ _id }, { session });
      else await rollups.replaceOne({ _id }, rollup, { session, upsert: true });
    },

    async insertAll(all) {
      await rollups.insertMany(all.map((rollup) => ({ _id: idOf(rollup), ...rollup })));
    },

    listOfAnchor(anchorId, { from, to, corridor = null }) {
      const end = endOf(to === undefined ? anchorId : `${anchorId} ${to}`);
      const ofCorridor = corridor === null ? {} : { corridor };
      return rollups
        .find({ _id: { $gte: `${anchorId} ${from}`, $lt: end }, ...ofCorridor }, { promoteBuffers: true })
        .sort({ _id: 1 })
        .toArray();
    },

    async listDaysWithOutcomes(anchorId, { corridor, before, limit }) {
      const days = new Set<string>();
      let end = before === null ? endOf(anchorId) : `${anchorId} ${before}`;
      for (;;) {
        const page = await rollups
          .find({ _id: { $gte: `${anchorId} `, $lt: end }, ...(corridor === null ? {} : { corridor }) })
          .project<Pick<RollupDocument, '_id' | 'day' | 'filled' | 'notFilled'>>({
            day: 1,
            filled: 1,
            notFilled: 1,
          })
          .sort({ _id: -1 })
          .limit(pageSize)
          .toArray();
        for (const { day, filled, notFilled } of page) {
          if (filled + notFilled > 0) days.add(day);
          if (days.size === limit) return [...days];
        }
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return [...days];
        end = last._id;
      }
    },

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
