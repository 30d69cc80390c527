import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import { bulkCollection, defineModel } from '../../mongo/models.js';
import type { Counts, DayCounts, Tier } from './counts.rules.js';
import type { Finding } from './findings.rules.js';
import type { PublishedFee } from './observation.js';
import type { KnownTerm } from './terms.rules.js';

/** What is known of an anchor after the rounds so far. */
export interface ObservedAnchor {
  anchorId: string;
  rounds: number;
  firstObservedAt: Date;
  observedAt: Date;
  /** The duration of the last observation. */
  tookMs: number;
  findings: Finding[];
  terms: KnownTerm[];
  services: LatestOfService[];
  corridors: LatestOfCorridor[];
}

export interface LatestOfService {
  service: ObservedService;
  at: Date;
  outcome: CallOutcome;
  latencyMs: number | null;
}

export interface LatestOfCorridor {
  corridor: string;
  quote: { at: Date; tier: Tier; rate: string; costPercent: string | null } | null;
  fee: PublishedFee | null;
  /** Whether there was a reference exchange rate. */
  hasReference: boolean;
}

interface AnchorDocument extends Omit<ObservedAnchor, 'anchorId'> {
  /** The anchor id. */
  _id: string;
}

/** `_id` consists of anchor, day and subject, so that one range of ids holds the days of an anchor in order. */
interface DayDocument extends Counts {
  _id: string;
  expiresAt: Date;
}

/** The stored observations: one document per anchor, and one roll-up per day, anchor and service or corridor. */
export interface ObservationStore {
  find(anchorId: string): Promise<ObservedAnchor | null>;
  /** The given anchors, except those that were never observed. */
  findMany(anchorIds: readonly string[]): Promise<ObservedAnchor[]>;
  /** Stores the result of a round for an anchor and adds its counts. Only the holder of the lease may call it. */
  keep(session: ClientSession, anchor: ObservedAnchor, added: readonly DayCounts[]): Promise<void>;
  /** The roll-ups of an anchor from this UTC day on. */
  listDays(anchorId: string, fromDay: string): Promise<DayCounts[]>;
}

const dayMs = 86_400_000;
/** The longest window is 90 days. */
const keptDays = 95;

const text = { type: String, required: true };
const date = { type: Date, required: true };
const whole = { type: Number, required: true };
const mixed = { type: Schema.Types.Mixed, required: true };

const anchorSchema = new Schema<AnchorDocument>(
  {
    _id: text,
    rounds: whole,
    firstObservedAt: date,
    observedAt: date,
    tookMs: whole,
    findings: mixed,
    terms: mixed,
    services: mixed,
    corridors: mixed,
  },
  { collection: 'observed_anchors', versionKey: false, minimize: false },
);

const daySchema = new Schema<DayDocument>(
  {
    _id: text,
    asked: whole,
    answered: whole,
    failures: mixed,
    latency: mixed,
    quotes: mixed,
    expiresAt: date,
  },
  { collection: 'observation_days', versionKey: false, minimize: false },
);
daySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

export function createObservationStore(connection: Connection): ObservationStore {
  const anchors = defineModel(connection, 'ObservedAnchor', anchorSchema);
  const days = defineModel(connection, 'ObservationDay', daySchema);
  const bulkAnchors = bulkCollection<AnchorDocument>(connection, anchors.collection.name);
  const bulkDays = bulkCollection<DayDocument>(connection, days.collection.name);

  return {
    async find(anchorId) {
      const found = await anchors.findById(anchorId).lean<AnchorDocument>();
      return found === null ? null : toAnchor(found);
    },

    async findMany(anchorIds) {
      const found = await anchors.find({ _id: { $in: [...anchorIds] } }).lean<AnchorDocument[]>();
      return found.map(toAnchor);
    },

    async keep(session, { anchorId, ...anchor }, added) {
      await bulkAnchors.replaceOne({ _id: anchorId }, anchor, { session, upsert: true });
      const updates = added.map(({ day, about, counts }) => ({
        updateOne: {
          filter: { _id: `${anchorId} ${day} ${about}` },
          update: {
            $inc: incrementsOf(counts),
            $setOnInsert: { expiresAt: new Date(Date.parse(day) + keptDays * dayMs) },
          },
          upsert: true,
        },
      }));
      if (updates.length > 0) await bulkDays.bulkWrite(updates, { session, ordered: false });
    },

    async listDays(anchorId, fromDay) {
      // A space sorts before every character of an id, so the range up to ` ~` holds only the days of this anchor.
      const range = { $gte: `${anchorId} ${fromDay}`, $lt: `${anchorId} ~` };
      const found = await days.collection
        .find<DayDocument>({ _id: range as never }, { sort: { _id: 1 } })
        .toArray();
      return found.map(toDay);
    },
  };
}

function toAnchor({ _id, ...rest }: AnchorDocument): ObservedAnchor {
  return { anchorId: _id, ...rest };
}

function toDay({ _id, asked, answered, failures = {}, latency = {}, quotes = {} }: DayDocument): DayCounts {
  const [, day = '', ...about] = _id.split(' ');
  const filled = Object.entries(quotes).map(([tier, counts]) => [
    tier,
    { ...counts, lost: counts.lost ?? {} },
  ]);
  return {
    day,
    about: about.join(' ') as DayCounts['about'],
    counts: { asked, answered, failures, latency, quotes: Object.fromEntries(filled) },
  };
}

/** Every number in the counts, keyed by its path. Zeros are included, so that every counter is stored. */
function incrementsOf(counts: object, path = ''): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [[path + name, value]]
        : Object.entries(incrementsOf(value as object, `${path}${name}.`)),
    ),
  );
}
