import type { ClientSession, Connection } from 'mongoose';
import { defineModel, typedSchema } from '../../mongo/models.js';
import { toInstant } from '../../ports.js';
import { type CountsBySubject, incrementsOf } from './counts.rules.js';
import { changesOf, type Observation, type ObservedAnchor } from './observation.rules.js';

/** What the rounds of a UTC day counted of an anchor. */
interface DayDocument {
  /** Anchor and day, so that one range of ids holds the days of an anchor. */
  _id: string;
  /** Absent where nothing was asked. */
  counts?: CountsBySubject;
  expiresAt: Date;
}

const dayMs = 86_400_000;
/** The longest window has 90 days. */
const keptDays = 95;

const anchorSchema = typedSchema<ObservedAnchor>('observed_anchors');
const daySchema = typedSchema<DayDocument>('observation_days');
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

    /** Stores what a round observed, and adds to the counts of the day. Only the holder of the lease may call it. */
    async keep(session: ClientSession, _id: string, observation: Observation): Promise<void> {
      const { at } = observation;
      const expiresAt = new Date(at.getTime() + keptDays * dayMs);
      const options = { session, upsert: true };
      const latest = { $set: changesOf(observation), $setOnInsert: { firstObservedAt: at } };
      await anchors.updateOne({ _id }, latest, options);
      const added = { $inc: incrementsOf(observation), $setOnInsert: { expiresAt } };
      await days.updateOne({ _id: idOf(_id, at) }, added, options);
    },

    /** The counts of an anchor for each UTC day from this instant on. */
    async listDays(anchorId: string, from: Date): Promise<CountsBySubject[]> {
      // A space sorts before every character of an id, so the range up to ` ~` holds only the days of this anchor.
      const range = { $gte: idOf(anchorId, from), $lt: `${anchorId} ~` };
      const found = await days.find({ _id: range }).lean<DayDocument[]>();
      return found.map(({ counts }) => counts ?? {});
    },
  };
}

function idOf(anchorId: string, at: Date): string {
  return `${anchorId} ${toInstant(at).slice(0, 10)}`;
}
