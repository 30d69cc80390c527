import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import type { HistoryResolution } from '../../../contract/schemas/rate-history.js';
import { defineModel } from '../../mongo/models.js';
import { unpackAnswer } from './packing.js';
import { startOf } from './sample.rules.js';

/** An answer of GET /api/rates/{corridor} at the reference amount, and when it was given. */
export interface Sample {
  /** In epoch milliseconds. */
  at: number;
  /** The body, byte for byte. */
  text: Buffer;
}

/** A sample as stored. It never changes. */
interface SampleDocument {
  /** The corridor and its slot: `usdc-ngn 2026-11-21T09:30:00.000Z`. */
  _id: string;
  corridor: string;
  at: Date;
  grain: HistoryResolution;
  packed: Buffer;
}

/** The samples of a corridor in a span of time, `from` included, `to` not. */
export interface SampleRange {
  corridor: string;
  resolution: HistoryResolution;
  from: number;
  to: number;
}

export interface RateSampleStore {
  /** The given corridors that have a sample in the slot of this instant. */
  sampledAt(epochMs: number, corridors: readonly string[]): Promise<Set<string>>;
  /** When the latest sample of a corridor was taken, as the transaction sees it. */
  lastAt(session: ClientSession, corridor: string): Promise<number | null>;
  insert(
    session: ClientSession,
    sample: { corridor: string; at: number; grain: HistoryResolution; packed: Buffer },
  ): Promise<void>;
  /** The latest sample of a corridor at or before an instant. */
  findAsOf(corridor: string, epochMs: number): Promise<Sample | null>;
  /** Whether a corridor has any sample. */
  hasAny(corridor: string): Promise<boolean>;
  /** Lists samples by time, oldest or newest first. */
  list(range: SampleRange, page: { order: 'asc' | 'desc'; limit: number }): Promise<Sample[]>;
  /** When the samples of a range were taken, in order; without reading the samples. */
  listInstants(range: SampleRange, limit: number): Promise<number[]>;
  /** Removes up to `limit` samples taken before this instant, the first of each day excepted. Returns how many. */
  removeBefore(epochMs: number, limit: number): Promise<number>;
}

const sampleSchema = new Schema<SampleDocument>(
  {
    _id: { type: String, required: true },
    corridor: { type: String, required: true },
    at: { type: Date, required: true },
    grain: { type: String, required: true },
    packed: { type: Buffer, required: true },
  },
  { collection: 'rate_samples', versionKey: false },
);
// A resolution selects one value of `grain`, or several whose index ranges MongoDB merges in order.
sampleSchema.index({ corridor: 1, grain: 1, at: 1 }, { name: 'in_order' });
sampleSchema.index({ grain: 1, at: 1 }, { name: 'by_age' });

/** The grains of the samples that a resolution shows: the first of a day is also the first of its hour. */
const grainsOf: Readonly<Record<HistoryResolution, HistoryResolution[]>> = {
  '15m': ['15m', '1h', '1d'],
  '1h': ['1h', '1d'],
  '1d': ['1d'],
};
const newestFirst = { at: -1 } as const;

export function createRateSampleStore(connection: Connection): RateSampleStore {
  const samples = defineModel(connection, 'RateSample', sampleSchema);
  const nameOf = (corridor: string, epochMs: number) =>
    `${corridor} ${new Date(startOf('15m', epochMs)).toISOString()}`;
  const everyGrain = { $in: grainsOf['15m'] };
  const inRange = ({ corridor, resolution, from, to }: SampleRange) => ({
    corridor,
    grain: { $in: grainsOf[resolution] },
    at: { $gte: new Date(from), $lt: new Date(to) },
  });

  return {
    async sampledAt(epochMs, corridors) {
      const ids = corridors.map((corridor) => nameOf(corridor, epochMs));
      const found = await samples
        .find({ _id: { $in: ids } }, { corridor: 1 })
        .lean<Pick<SampleDocument, 'corridor'>[]>();
      return new Set(found.map(({ corridor }) => corridor));
    },

    async lastAt(session, corridor) {
      const last = await samples
        .findOne({ corridor, grain: everyGrain }, { at: 1 })
        .sort(newestFirst)
        .session(session)
        .lean<Pick<SampleDocument, 'at'>>();
      return last === null ? null : last.at.getTime();
    },

    async insert(session, { corridor, at, grain, packed }) {
      const document = { _id: nameOf(corridor, at), corridor, at: new Date(at), grain, packed };
      await samples.create([document], { session });
    },

    async findAsOf(corridor, epochMs) {
      const found = await samples
        .findOne({ corridor, grain: everyGrain, at: { $lte: new Date(epochMs) } })
        .sort(newestFirst)
        .lean<SampleDocument>();
      return found === null ? null : toSample(found);
    },

    async hasAny(corridor) {
      const found = await samples.findOne({ corridor }, { _id: 1 }).lean();
      return found !== null;
    },

    async list(range, { order, limit }) {
      const found = await samples
        .find(inRange(range), { at: 1, packed: 1 })
        .sort({ at: order === 'asc' ? 1 : -1 })
        .limit(limit)
        .lean<SampleDocument[]>();
      return Promise.all(found.map(toSample));
    },

    async listInstants(range, limit) {
      const found = await samples
        .find(inRange(range), { _id: 0, at: 1 })
        .sort({ at: 1 })
        .limit(limit)
        .lean<Pick<SampleDocument, 'at'>[]>();
      return found.map(({ at }) => at.getTime());
    },

    async removeBefore(epochMs, limit) {
      const found = await samples
        .find({ grain: { $in: ['15m', '1h'] }, at: { $lt: new Date(epochMs) } }, { _id: 1 })
        .limit(limit)
        .lean<Pick<SampleDocument, '_id'>[]>();
      if (found.length === 0) return 0;
      return (await samples.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } })).deletedCount;
    },
  };
}

async function toSample({ at, packed }: SampleDocument): Promise<Sample> {
  // A lean document holds the value as the driver returns it, a Binary.
  const { buffer } = packed as unknown as mongo.Binary;
  return { at: at.getTime(), text: await unpackAnswer(buffer) };
}
