import type {
  HistoryQuote,
  RateHistoryPage,
  RateHistoryPoint,
  RateHistoryQuery,
} from '../../../contract/schemas/rate-history.js';
import { ApiError } from '../../errors.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { type HistoryRange, rangeOf, rangeOfFile } from './range.rules.js';
import { csvHeader, csvRows, type Sample, type SampleQuote } from './sample.rules.js';
import type { RateSampleStore } from './store.js';

/** More than the slots of a day. */
const mostInDay = 100;
/** A sample is stored within seconds after it was taken. */
const settledAfterMs = 60_000;
const settledFreshSeconds = 86_400;
const growingFreshSeconds = 15;

const epochText = /^\d{1,15}$/;

export type RateHistory = ReturnType<typeof createRateHistory>;

/** What was sampled of a corridor, and how long that is certain not to change. */
export function createRateHistory(deps: {
  store: Pick<RateSampleStore, 'list' | 'hasAny'>;
  /** Whether the corridor is served now. */
  isServed: (corridorId: string) => boolean;
  clock: Clock;
}) {
  const { store, clock } = deps;

  async function throwIfUnknown(corridorId: string): Promise<void> {
    if (deps.isServed(corridorId) || (await store.hasAny(corridorId))) return;
    throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${corridorId} is not served.`);
  }

  function freshForSeconds({ to }: HistoryRange): number {
    return clock() - to >= settledAfterMs ? settledFreshSeconds : growingFreshSeconds;
  }

  return {
    /** Throws INVALID_REQUEST, UNKNOWN_CORRIDOR. */
    async page(corridorId: string, { limit: givenLimit, cursor, ...query }: RateHistoryQuery) {
      const range = rangeOf(query, clock());
      const { resolution, from, to } = range;
      await throwIfUnknown(corridorId);
      const limit = readLimit(givenLimit);
      const list = ['rate-history', corridorId, resolution];
      const [before = to] = (readCursor(cursor, list, [epochText]) ?? []).map(Number);
      const wanted = { corridor: corridorId, resolution, from, to: Math.min(before, to) };
      const samples = await store.list(wanted, { order: 'desc', limit: limit + 1 });
      const page = toPage(samples.map(toPoint), limit, list, ({ at }) => [Date.parse(at)]);
      const about = { corridor: corridorId, resolution, from: toInstant(from), to: toInstant(to) };
      const shown: RateHistoryPage = { ...about, ...page };
      return { page: shown, freshForSeconds: freshForSeconds(range) };
    },

    /** The samples of a day, in order. Throws INVALID_REQUEST, UNKNOWN_CORRIDOR. */
    async csv(corridorId: string, query: RateHistoryQuery) {
      const range = rangeOfFile(query, clock());
      await throwIfUnknown(corridorId);
      const wanted = { corridor: corridorId, ...range };
      const samples = await store.list(wanted, { order: 'asc', limit: mostInDay });
      const csv = csvHeader + samples.map(csvRows).join('');
      return { csv, freshForSeconds: freshForSeconds(range) };
    },
  };
}

function toPoint({ at, asOf, amount, best, quotes, unavailable }: Sample): RateHistoryPoint {
  return { at: toInstant(at.getTime()), asOf, amount, best, quotes: quotes.map(toShown), unavailable };
}

/** What lists show of a quote; files have all of it. */
function toShown(quote: SampleQuote): HistoryQuote {
  const { anchorId, tier, sellAmount, receiveAmount, rate, costPercent, score, unranked } = quote;
  return { anchorId, tier, sellAmount, receiveAmount, rate, costPercent, score, unranked };
}
