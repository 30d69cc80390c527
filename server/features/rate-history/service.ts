import type {
  RateHistoryPage,
  RateHistoryPoint,
  RateHistoryQuery,
} from '../../../contract/schemas/rate-history.js';
import { ApiError } from '../../errors.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { csvColumns, csvHeader, csvRows } from './csv.rules.js';
import { type HistoryRange, rangeOf, rangeOfFile } from './range.rules.js';
import type { Sample } from './sample.rules.js';
import type { RateSampleStore } from './store.js';

/** A part of the history, and how long it is certain not to change. */
export type HistoryPart<T> = T & { freshForSeconds: number };

export interface RateHistory {
  /** Throws INVALID_REQUEST, UNKNOWN_CORRIDOR. */
  page(corridorId: string, query: RateHistoryQuery): Promise<HistoryPart<{ page: RateHistoryPage }>>;
  /** The samples of a day, in order, as CSV. Throws INVALID_REQUEST, UNKNOWN_CORRIDOR. */
  csv(
    corridorId: string,
    query: RateHistoryQuery,
  ): Promise<HistoryPart<{ version: string; chunks: () => AsyncGenerator<string> }>>;
}

/** More than the slots of a day. */
const mostInDay = 100;
/** A sample is stored within seconds after it was taken. */
const settledAfterMs = 60_000;
const settledFreshSeconds = 86_400;
const growingFreshSeconds = 15;

const epochText = /^\d{1,15}$/;

export function createRateHistory(deps: {
  store: Pick<RateSampleStore, 'list' | 'hasAny'>;
  /** Whether the corridor is served now. */
  isServed: (corridorId: string) => boolean;
  clock: Clock;
}): RateHistory {
  const { store, clock } = deps;

  async function throwIfUnknown(corridorId: string): Promise<void> {
    if (deps.isServed(corridorId) || (await store.hasAny(corridorId))) return;
    throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${corridorId} is not served.`);
  }

  function freshForSeconds({ to }: HistoryRange): number {
    return clock() - to >= settledAfterMs ? settledFreshSeconds : growingFreshSeconds;
  }

  return {
    async page(corridorId, { limit: givenLimit, cursor, ...query }) {
      const range = rangeOf(query, clock());
      const { resolution, from, to } = range;
      await throwIfUnknown(corridorId);
      const limit = readLimit(givenLimit);
      const list = ['rate-history', corridorId, resolution];
      const [before = to] = (readCursor(cursor, list, [epochText]) ?? []).map(Number);
      const wanted = { corridor: corridorId, resolution, from, to: Math.min(before, to) };
      const samples = await store.list(wanted, { order: 'desc', limit: limit + 1 });
      const page = toPage(samples.map(toPoint), limit, list, ({ at }) => [Date.parse(at)]);
      return {
        page: { corridor: corridorId, resolution, from: toInstant(from), to: toInstant(to), ...page },
        freshForSeconds: freshForSeconds(range),
      };
    },

    async csv(corridorId, query) {
      const range = rangeOfFile(query, clock());
      await throwIfUnknown(corridorId);
      const samples = await store.list(
        { corridor: corridorId, ...range },
        { order: 'asc', limit: mostInDay },
      );
      const version = [csvColumns, corridorId, ...samples.map(({ at }) => at.getTime())].join(' ');
      async function* chunks() {
        yield csvHeader;
        for (const sample of samples) yield csvRows(sample);
      }
      return { version, chunks, freshForSeconds: freshForSeconds(range) };
    },
  };
}

function toPoint({ at, asOf, amount, best, quotes, unavailable }: Sample): RateHistoryPoint {
  return {
    at: toInstant(at.getTime()),
    asOf,
    amount,
    best,
    quotes: quotes.map(
      ({ anchorId, tier, sellAmount, receiveAmount, rate, costPercent, score, unranked }) => ({
        anchorId,
        tier,
        sellAmount,
        receiveAmount,
        rate,
        costPercent,
        score,
        unranked,
      }),
    ),
    unavailable,
  };
}
