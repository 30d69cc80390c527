import { initServer } from '@ts-rest/express';
import type { Connection } from 'mongoose';
import { rateHistoryContract } from '../../../contract/endpoints/rates.js';
import type { RateHistoryPage, RateHistoryQuery } from '../../../contract/schemas/rate-history.js';
import { ApiError } from '../../errors.js';
import { mediaTypeOf } from '../../http/negotiation.js';
import { freshAnswer, textBody } from '../../http/send-json.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { type Logger, toInstant } from '../../ports.js';
import { type HistoryRange, rangeOf, rangeOfFile } from './range.rules.js';
import { csvHeader, csvRows, toPoint } from './sample.rules.js';
import { createSampler, type SamplerDeps } from './sampler.js';
import { createRateSampleStore } from './store.js';

/** More than the slots of a day. */
const mostInDay = 100;
/** A sample is stored within seconds after it was taken; then the past does not change any more. */
const settledAfterMs = 60_000;
const settledFreshSeconds = 86_400;
const growingFreshSeconds = 15;

const epochText = /^\d{1,15}$/;

/** Records four times per hour what the anchors of every corridor offer at the reference amount. */
export function createRateHistoryFeature(
  deps: Omit<SamplerDeps, 'store'> & {
    connection: Connection;
    logger: Logger;
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
  },
) {
  const { clock, logger } = deps;
  const store = createRateSampleStore(deps.connection);
  const takeSamples = createSampler({ ...deps, store });

  async function throwIfUnknown(corridorId: string): Promise<void> {
    if (deps.corridors().some(({ id }) => id === corridorId) || (await store.hasAny(corridorId))) return;
    throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${corridorId} is not served.`);
  }

  async function readPage(corridor: string, range: HistoryRange, query: RateHistoryQuery) {
    const { resolution, from, to } = range;
    const limit = readLimit(query.limit);
    const list = ['rate-history', corridor, resolution];
    const [before = to] = (readCursor(query.cursor, list, [epochText]) ?? []).map(Number);
    const wanted = { corridor, resolution, from, to: Math.min(before, to) };
    const samples = await store.list(wanted, { order: 'desc', limit: limit + 1 });
    const page = toPage(samples.map(toPoint), limit, list, ({ at }) => [Date.parse(at)]);
    return { corridor, resolution, from: toInstant(from), to: toInstant(to), ...page };
  }

  /** The samples of a day, in order. */
  async function readFile(corridor: string, range: HistoryRange): Promise<string> {
    const samples = await store.list({ corridor, ...range }, { order: 'asc', limit: mostInDay });
    return csvHeader + samples.map(csvRows).join('');
  }

  const router = initServer().router(rateHistoryContract, {
    getRateHistory: async ({ params: { corridor }, query, req, res }) => {
      res.vary('Accept');
      const isCsv = mediaTypeOf(req.get('accept')) === 'text/csv';
      const range = isCsv ? rangeOfFile(query, clock()) : rangeOf(query, clock());
      await throwIfUnknown(corridor);
      const body: RateHistoryPage = isCsv
        ? textBody('text/csv', await readFile(corridor, range))
        : await readPage(corridor, range, query);
      const isSettled = clock() - range.to >= settledAfterMs;
      const seconds = isSettled ? settledFreshSeconds : growingFreshSeconds;
      return freshAnswer(res, { seconds, public: deps.publicCache }, body);
    },
  });
  return {
    router,
    async sample(): Promise<void> {
      const taken = await takeSamples();
      if (taken > 0) logger.info({ taken }, 'rates sampled');
    },
  };
}
