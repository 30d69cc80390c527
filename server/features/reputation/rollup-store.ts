import type { ClientSession, Connection } from 'mongoose';
import { defineModel, typedSchema } from '../../mongo/models.js';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import type { Rollup } from './day-count.rules.js';

/** `_id` is anchor, day and corridor, so that one range holds the days of an anchor in order. */
interface RollupDocument extends Rollup {
  _id: string;
}

const rollupSchema = typedSchema<RollupDocument>('reputation_rollups');

const pageSize = 500;

export type RollupStore = ReturnType<typeof createRollupStore>;

/** The roll-ups. Uses the driver's own collection: a refresh reads thousands of them, and needs no casting. */
export function createRollupStore(connection: Connection) {
  const { collection } = defineModel(connection, 'ReputationRollup', rollupSchema);
  const rollups = connection.getClient().db(connection.name).collection<RollupDocument>(collection.name);

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
      const end = endOf(to === undefined ? anchorId : `${anchorId} ${to}`);
      const ofCorridor = corridor === null ? {} : { corridor };
      return rollups
        .find({ _id: { $gte: `${anchorId} ${from}`, $lt: end }, ...ofCorridor }, { promoteBuffers: true })
        .sort({ _id: 1 })
        .toArray();
    },

    /** The latest UTC days with an outcome, newest first; with `before`, only earlier ones. */
    async listDaysWithOutcomes(
      anchorId: string,
      { corridor, before, limit }: { corridor: string | null; before: string | null; limit: number },
    ): Promise<string[]> {
      const end = before === null ? endOf(anchorId) : `${anchorId} ${before}`;
      const days = new Set<string>();
      const newestFirst = rollups
        .find({ _id: { $gte: `${anchorId} `, $lt: end }, ...(corridor === null ? {} : { corridor }) })
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
