import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { HistoryResolution } from '../../../contract/schemas/rate-history.js';
import { defineModel } from '../../mongo/models.js';
import { keptMs, type Sample, startOf } from './sample.rules.js';

/** A sample as stored. It never changes. */
interface SampleDocument extends Sample {
  /** The corridor and its slot, `usdc-ngn 2026-11-21T09:30:00.000Z`: the database refuses a second sample of a slot. */
  _id: string;
  grain: HistoryResolution;
  /** When MongoDB removes it; the first sample of a UTC day has none and stays. */
  expiresAt?: Date | undefined;
}

/** The samples of a corridor in a span of time, `from` included, `to` not. */
export interface SampleRange {
  corridor: string;
  resolution: HistoryResolution;
  from: number;
  to: number;
}

const sampleSchema = new Schema<SampleDocument>(
  {
    _id: { type: String, required: true },
    corridor: { type: String, required: true },
    at: { type: Date, required: true },
    grain: { type: String, required: true },
    amount: { type: String, required: true },
    asOf: { type: String, required: true },
    best: { type: Schema.Types.Mixed, default: null },
    quotes: { type: Schema.Types.Mixed, required: true },
    unavailable: { type: Schema.Types.Mixed, required: true },
    expiresAt: { type: Date },
  },
  { collection: 'rate_samples', versionKey: false },
);
// A resolution selects one value of `grain`, or several whose index ranges MongoDB merges in order.
sampleSchema.index({ corridor: 1, grain: 1, at: 1 }, { name: 'in_order' });
sampleSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

/** The grains of the samples that a resolution shows: the first of a day is also the first of its hour. */
const grainsOf: Readonly<Record<HistoryResolution, HistoryResolution[]>> = {
  '15m': ['15m', '1h', '1d'],
  '1h': ['1h', '1d'],
  '1d': ['1d'],
};

export type RateSampleStore = ReturnType<typeof createRateSampleStore>;

export function createRateSampleStore(connection: Connection) {
  const samples = defineModel(connection, 'RateSample', sampleSchema);
  const nameOf = (corridor: string, epochMs: number) =>
    `${corridor} ${new Date(startOf('15m', epochMs)).toISOString()}`;

  return {
    /** The given corridors that have a sample in the slot of this instant. */
    async sampledAt(epochMs: number, corridors: readonly string[]): Promise<Set<string>> {
      const ids = corridors.map((corridor) => nameOf(corridor, epochMs));
      const found = await samples
        .find({ _id: { $in: ids } }, { corridor: 1 })
        .lean<Pick<SampleDocument, 'corridor'>[]>();
      return new Set(found.map(({ corridor }) => corridor));
    },

    /** When the latest sample of a corridor was taken, as the transaction sees it. */
    async lastAt(session: ClientSession, corridor: string): Promise<number | null> {
      const last = await samples
        .findOne({ corridor, grain: { $in: grainsOf['15m'] } }, { at: 1 })
        .sort({ at: -1 })
        .session(session)
        .lean<Pick<SampleDocument, 'at'>>();
      return last === null ? null : last.at.getTime();
    },

    async insert(session: ClientSession, sample: Sample, grain: HistoryResolution): Promise<void> {
      const at = sample.at.getTime();
      const expiry = grain === '1d' ? {} : { expiresAt: new Date(at + keptMs) };
      const document = { _id: nameOf(sample.corridor, at), ...sample, grain, ...expiry };
      await samples.create([document], { session });
    },

    /** Whether a corridor has any sample. */
    async hasAny(corridor: string): Promise<boolean> {
      return (await samples.findOne({ corridor }, { _id: 1 }).lean()) !== null;
    },

    /** Lists samples by time, oldest or newest first. */
    async list(
      { corridor, resolution, from, to }: SampleRange,
      { order, limit }: { order: 'asc' | 'desc'; limit: number },
    ): Promise<Sample[]> {
      const at = { $gte: new Date(from), $lt: new Date(to) };
      return samples
        .find({ corridor, grain: { $in: grainsOf[resolution] }, at })
        .sort({ at: order === 'asc' ? 1 : -1 })
        .limit(limit)
        .lean<Sample[]>();
    },
  };
}
