import type { MediaType } from '../../../contract/describe-route.js';
import type {
  RateHistoryPage,
  RateHistoryPoint,
  RateHistoryQuery,
} from '../../../contract/schemas/rate-history.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../errors.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import { csvColumns, csvHeader, csvRows } from './csv.rules.js';
import { toPoint } from './point.rules.js';
import { type HistoryRange, rangeOf, rangeOfStream } from './range.rules.js';
import type { RateSampleStore, Sample, SampleRange } from './store.js';

/** A part of the history, and how long it is certain not to change. */
export type HistoryPart<T> = T & { freshForSeconds: number };

export interface RateHistory {
  /** Throws INVALID_REQUEST, UNKNOWN_CORRIDOR. */
  page(corridorId: string, query: RateHistoryQuery): Promise<HistoryPart<{ page: RateHistoryPage }>>;
  /** The samples of a day, in order, loaded while the stream is read. Throws INVALID_REQUEST, UNKNOWN_CORRIDOR. */
  stream(
    corridorId: string,
    query: RateHistoryQuery,
    type: MediaType,
  ): Promise<HistoryPart<{ version: string; chunks: () => AsyncGenerator<string | Buffer> }>>;
}

/** The number of samples that a request holds in memory. The process serves other requests between two reads. */
const samplesAtOnce = 4;
/** More than the slots of a day. */
const maxInstants = 100;
/** A sample is stored within seconds after it was taken. */
const settledAfterMs = 60_000;
const settledFreshSeconds = 86_400;
const growingFreshSeconds = 15;

const epochText = /^\d{1,15}$/;

export function createRateHistory(deps: {
  store: Pick<RateSampleStore, 'list' | 'listInstants' | 'hasAny'>;
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

  /** Loads a few samples at a time, so that a slow client holds neither many samples nor a database cursor. */
  async function* samplesOf(range: SampleRange, order: 'asc' | 'desc'): AsyncGenerator<Sample> {
    let { from, to } = range;
    for (;;) {
      const samples = await store.list({ ...range, from, to }, { order, limit: samplesAtOnce });
      yield* samples;
      const last = samples.at(-1);
      if (last === undefined || samples.length < samplesAtOnce) return;
      if (order === 'asc') from = last.at + 1;
      else to = last.at;
    }
  }

  /** The newest points of a range, at most `limit`. */
  async function pointsOf(range: SampleRange, limit: number): Promise<RateHistoryPoint[]> {
    const points: RateHistoryPoint[] = [];
    for await (const { at, text } of samplesOf(range, 'desc')) {
      points.push(toPoint(toInstant(at), toAnswer(text)));
      if (points.length === limit) break;
    }
    return points;
  }

  async function* csvOf(range: SampleRange): AsyncGenerator<string> {
    yield csvHeader;
    for await (const { at, text } of samplesOf(range, 'asc')) yield csvRows(toInstant(at), toAnswer(text));
  }

  async function* linesOf(range: SampleRange): AsyncGenerator<Buffer> {
    for await (const { text } of samplesOf(range, 'asc')) yield Buffer.concat([text, Buffer.from('\n')]);
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
      const points = await pointsOf(wanted, limit + 1);
      const page = toPage(points, limit, list, ({ at }) => [Date.parse(at)]);
      return {
        page: { corridor: corridorId, resolution, from: toInstant(from), to: toInstant(to), ...page },
        freshForSeconds: freshForSeconds(range),
      };
    },

    async stream(corridorId, query, type) {
      const range = rangeOfStream(query, clock());
      await throwIfUnknown(corridorId);
      const wanted = { corridor: corridorId, ...range };
      const instants = await store.listInstants(wanted, maxInstants);
      // Samples taken from now on belong to another version.
      const known = { ...wanted, to: Math.min(range.to, (instants.at(-1) ?? range.from) + 1) };
      const version = [type, type === 'text/csv' ? csvColumns : '', corridorId, ...instants].join(' ');
      const chunks = type === 'text/csv' ? () => csvOf(known) : () => linesOf(known);
      return { version, chunks, freshForSeconds: freshForSeconds(range) };
    },
  };
}

function toAnswer(text: Buffer): RatesAnswer {
  return JSON.parse(text.toString());
}
