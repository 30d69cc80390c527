import { type ClientSession, type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import { toInstant } from '../../ports.js';
import type { CountsBySubject } from './counts.rules.js';
import type { ObservedAnchor } from './observed-anchor.rules.js';

/** What the rounds of a UTC day counted of an anchor. */
interface DayDocument {
  /** Anchor and day, so that one range of ids holds the days of an anchor. */
  _id: string;
  counts: CountsBySubject;
  expiresAt: Date;
}

const dayMs = 86_400_000;
/** The longest window has 90 days. */
const keptDays = 95;

const text = { type: String, required: true };
const date = { type: Date, required: true };
const mixed = { type: Schema.Types.Mixed, required: true };

const anchorSchema = new Schema<ObservedAnchor>(
  { _id: text, firstObservedAt: date, observedAt: date, services: mixed, corridors: mixed },
  { collection: 'observed_anchors', versionKey: false, minimize: false },
);

const daySchema = new Schema<DayDocument>(
  { _id: text, counts: mixed, expiresAt: date },
  { collection: 'observation_days', versionKey: false, minimize: false },
);
daySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

export type ObservationStore = ReturnType<typeof createObservationStore>;

export function createObservationStore(connection: Connection) {
  const anchors = defineModel(connection, 'ObservedAnchor', anchorSchema);
  const days = defineModel(connection, 'ObservationDay', daySchema);

  return {
    /** The given anchors, except those that were never observed. */
    find: (anchorIds: readonly string[]) =>
      anchors
        .find({ _id: { $in: [...anchorIds] } })
        .lean<ObservedAnchor[]>()
        .exec(),

    /** Stores an anchor after a round, and adds to the counts of the day. Only the holder of the lease may call it. */
    async keep(session: ClientSession, anchor: ObservedAnchor, added: CountsBySubject): Promise<void> {
      const { _id, observedAt } = anchor;
      const expiresAt = new Date(observedAt.getTime() + keptDays * dayMs);
      await anchors.replaceOne({ _id }, anchor, { session, upsert: true });
      await days.updateOne(
        { _id: idOf(_id, observedAt) },
        { $inc: incrementsOf(added, 'counts.'), $setOnInsert: { expiresAt } },
        { session, upsert: true },
      );
    },

    /** The counts of an anchor for each UTC day from this instant on. */
    async listDays(anchorId: string, from: Date): Promise<CountsBySubject[]> {
      // A space sorts before every character of an id, so the range up to ` ~` holds only the days of this anchor.
      const range = { $gte: idOf(anchorId, from), $lt: `${anchorId} ~` };
      const found = await days.find({ _id: range }).lean<DayDocument[]>();
      return found.map(({ counts }) => counts);
    },
  };
}

function idOf(anchorId: string, at: Date): string {
  return `${anchorId} ${toInstant(at).slice(0, 10)}`;
}

/** Every number in the counts, by its path. Zeros are included, so that every counter is stored. */
function incrementsOf(counts: object, path: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [[path + name, value]]
        : Object.entries(incrementsOf(value as object, `${path}${name}.`)),
    ),
  );
}
