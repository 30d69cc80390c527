import type { Connection } from 'mongoose';
import type { HistoryResolution } from '../../../contract/schemas/rate-history.js';
import { defineModel, typedSchema } from '../../mongo/models.js';
import { toInstant } from '../../ports.js';
import type { HistoryRange } from './range.rules.js';
import { resolutions, type Sample, startOf } from './sample.rules.js';

/** A sample as stored, once for each resolution of which it begins a period. It never changes. */
interface SampleDocument extends Sample {
  /** `usdc-ngn 15m 2026-11-21T09:30:00.000Z`: a range of ids holds a history in order, and no period has two samples. */
  _id: string;
  /** When MongoDB removes it; the first sample of a UTC day has none and stays. */
  expiresAt?: Date;
}

/** The samples of a corridor in a span of time, `from` included, `to` not. */
export type SampleRange = HistoryRange & { corridor: string };

/** How long every sample is kept; after that, the first one of each UTC day stays. */
const keptMs = 90 * 86_400_000;

const sampleSchema = typedSchema<SampleDocument>('rate_samples');
sampleSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

export type RateSampleStore = ReturnType<typeof createRateSampleStore>;

export function createRateSampleStore(connection: Connection) {
  const model = defineModel(connection, 'RateSample', sampleSchema);

  return {
    /** Stores each sample in those of its periods that have none yet. Any number of instances may do so. */
    async insert(samples: readonly Sample[]): Promise<void> {
      const inPeriods = samples.flatMap((sample) =>
        resolutions.map((resolution) => {
          const at = sample.at.getTime();
          const expiry = resolution === '1d' ? {} : { expiresAt: new Date(at + keptMs) };
          const filter = { _id: idOf(sample.corridor, resolution, at) };
          return { updateOne: { filter, update: { $setOnInsert: { ...sample, ...expiry } }, upsert: true } };
        }),
      );
      await model.bulkWrite(inPeriods);
    },

    /** Whether a corridor has any sample. */
    async hasAny(corridor: string): Promise<boolean> {
      return (await model.exists({ _id: { $gte: `${corridor} `, $lt: `${corridor} ~` } })) !== null;
    },

    /** Lists samples by time, oldest or newest first. */
    async list(
      { corridor, resolution, from, to }: SampleRange,
      { order, limit }: { order: 'asc' | 'desc'; limit: number },
    ): Promise<Sample[]> {
      const ids = { $gte: idOf(corridor, resolution, from), $lte: idOf(corridor, resolution, to) };
      return model
        .find({ _id: ids, at: { $gte: new Date(from), $lt: new Date(to) } })
        .sort({ _id: order === 'asc' ? 1 : -1 })
        .limit(limit)
        .lean<Sample[]>();
    },
  };
}

function idOf(corridor: string, resolution: HistoryResolution, epochMs: number): string {
  return `${corridor} ${resolution} ${toInstant(startOf(resolution, epochMs))}`;
}
