import { LRUCache } from 'lru-cache';
import type { RateQuote, RatesAnswer, UnavailableReason } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../errors.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { createFlights } from '../../upstream/flights.js';
import type { Corridor } from '../anchors/fleet.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Epochs } from '../cache/epochs.js';
import { createAnchorGate } from './anchor-gate.js';
import { assembleAnswer, judgeRows, type QuoteReputation, toQuote } from './answer.rules.js';
import { createFeeInfo } from './fee-info.js';
import { createFxReference } from './fx-reference.js';
import { isOutOfRange, plain } from './money.rules.js';
import { createQuoteSource } from './quote-source.js';
import { createRowCache, freshMs, rowFreshUntil, staleMs } from './row-cache.js';

export interface RatesDeps {
  directory: Pick<AnchorDirectory, 'corridor' | 'anchorsOf' | 'anchor' | 'endpointsOf' | 'tokenFor'>;
  /** For the anchors' addresses: trusts nothing by name. */
  outbound: Outbound;
  /** For FX_URL: trusts its origin. */
  fxOutbound: Outbound;
  fxUrl: string | undefined;
  fxMaxAgeMs: number;
  epochs: Pick<Epochs, 'read' | 'onInvalidate'>;
  /** From memory, at once: an anchor's record in a corridor. */
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  clock: Clock;
  random: Random;
  logger: Logger;
  limits?: Partial<RatesLimits>;
}

export interface RatesLimits {
  /** Upstream calls to one anchor in any one second, from this instance. */
  callsPerSecond: number;
  /** Upstream calls to one anchor at the same time. */
  inFlight: number;
  /** Memory for cached rows and answers, each. */
  cacheBytes: number;
}

const defaultLimits: RatesLimits = { callsPerSecond: 20, inFlight: 20, cacheBytes: 32 * 1024 * 1024 };

export interface RatesRequest {
  amount?: string | undefined;
  deliveryMethod?: string | undefined;
}

export interface Rates {
  /**
   * The ranked offers of a corridor, with the milliseconds for which the answer stays fresh. `maxAgeMs` makes it ask
   * again, and wait, where the quotes are older. Throws UNKNOWN_CORRIDOR, AMOUNT_OUT_OF_RANGE, RATES_UNAVAILABLE.
   */
  quote(
    corridorId: string,
    request: RatesRequest,
    options?: { maxAgeMs: number },
  ): Promise<{ answer: RatesAnswer; freshForMs: number }>;
  /** One anchor's present quote, without asking the others. Throws nothing for what lies with the anchor. */
  quoteFrom(
    corridorId: string,
    anchorId: string,
    amount: string,
    deliveryMethod?: string,
  ): Promise<{ quote: RateQuote } | { quote: null; reason: UnavailableReason }>;
}

/** An answer as it is kept: both spellings of it stay the same objects, so that they are serialised once. */
interface Entry {
  epoch: number;
  fresh: RatesAnswer;
  stale: RatesAnswer | undefined;
  /** Of the oldest quote. */
  asOf: number;
  refreshAt: number;
}

const retryAfterSeconds = 5;
/** Rows without a quote may be asked for again sooner, but an answer is not built anew for every request. */
const leastFreshMs = 1_000;
/** After a refresh that nobody answered: the old answer goes on being served, and the next try waits this long. */
const retryMs = 2_000;

export function createRates(deps: RatesDeps): Rates {
  const { directory, epochs, clock } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const epochOf = (corridorId: string) => epochs.read('rates', [corridorId]);
  const fees = createFeeInfo({ ...deps, epoch: () => epochs.read('anchors') });
  const fx = createFxReference({
    ...deps,
    url: deps.fxUrl,
    outbound: deps.fxOutbound,
    maxAgeMs: deps.fxMaxAgeMs,
    epoch: () => epochs.read('fx'),
  });
  const gate = createAnchorGate({ clock, limits });
  const rowCache = createRowCache({
    source: createQuoteSource({ ...deps, gate, fees, fx }),
    clock,
    epoch: epochOf,
    maxBytes: limits.cacheBytes,
  });
  const entries = new LRUCache<string, Entry>({
    maxSize: limits.cacheBytes,
    // Kept besides: the stale spelling, and both as rendered and compressed bytes.
    sizeCalculation: (entry) => 6 * JSON.stringify(entry.fresh).length + 500,
  });
  const join = createFlights<Entry>();

  epochs.onInvalidate((scope, corridor) => {
    const every = scope === 'all';
    let dropped = 0;
    if (every || scope === 'rates') dropped += rowCache.drop(corridor) + dropEntries(corridor);
    if (every || scope === 'anchors') dropped += fees.drop();
    if (every || scope === 'fx') dropped += fx.drop();
    return dropped;
  });

  function dropEntries(corridor: string | undefined): number {
    let dropped = 0;
    for (const key of [...entries.keys()]) {
      if ((corridor === undefined || key.startsWith(`${corridor}|`)) && entries.delete(key)) dropped += 1;
    }
    return dropped;
  }

  function refresh(key: string, question: AskedOf, maxAgeMs: number): Promise<Entry> {
    const epoch = epochOf(question.corridor.id);
    return join(key, epoch, () => buildEntry(key, question, maxAgeMs, epoch));
  }

  async function buildEntry(key: string, question: AskedOf, maxAgeMs: number, epoch: number): Promise<Entry> {
    const { corridor, amount } = question;
    const anchors = directory.anchorsOf(corridor.id);
    const rows = await Promise.all(anchors.map((anchor) => rowCache.row(question, anchor, maxAgeMs)));
    const verdict = judgeRows(rows);
    if (verdict === 'all_refused') throw amountError('Every anchor of this corridor refuses this amount.');
    if (verdict === 'nobody_answers') return keepOld(key, epoch, corridor);
    const quoted = rows.filter((row) => 'offer' in row.reply);
    const asOf = Math.min(...(quoted.length > 0 ? quoted : rows).map((row) => row.at), clock());
    const entry: Entry = {
      epoch,
      fresh: assembleAnswer(corridor, amount, rows, {
        reputationOf: (anchorId) => deps.reputationOf(anchorId, corridor.id),
        asOf,
        stale: false,
      }),
      stale: undefined,
      asOf,
      refreshAt: Math.max(clock() + leastFreshMs, Math.min(...rows.map(rowFreshUntil), clock() + freshMs)),
    };
    if (epoch === epochOf(corridor.id)) entries.set(key, entry);
    return entry;
  }

  /** Nobody answered: what was answered within the last minute is better than nothing. */
  function keepOld(key: string, epoch: number, corridor: Corridor): Entry {
    const old = entries.get(key);
    if (old === undefined || old.epoch !== epoch || clock() - old.asOf >= staleMs) {
      throw new ApiError('RATES_UNAVAILABLE', `No anchor of ${corridor.id} answers just now.`, {
        retryAfter: retryAfterSeconds,
      });
    }
    old.refreshAt = clock() + retryMs;
    return old;
  }

  function serve(entry: Entry): { answer: RatesAnswer; freshForMs: number } {
    const now = clock();
    // A row that is missing does not make the others any older, however soon we ask for it again.
    if (now - entry.asOf <= freshMs) return { answer: entry.fresh, freshForMs: entry.asOf + freshMs - now };
    entry.stale ??= { ...entry.fresh, stale: true };
    return { answer: entry.stale, freshForMs: 0 };
  }

  function corridorOr404(id: string): Corridor {
    const corridor = directory.corridor(id);
    if (corridor === undefined) throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${id} is not served.`);
    return corridor;
  }

  return {
    async quote(corridorId, request, options) {
      const corridor = corridorOr404(corridorId);
      const amount = plain(request.amount ?? corridor.referenceAmount);
      if (isOutOfRange(corridor, amount)) {
        throw amountError(`must be between ${corridor.min} and ${corridor.max} in this corridor`);
      }
      const question: AskedOf = { corridor, amount, deliveryMethod: request.deliveryMethod };
      const key = [corridorId, amount, request.deliveryMethod ?? ''].join('|');
      const maxAgeMs = options?.maxAgeMs ?? freshMs;
      const entry = entries.get(key);
      const now = clock();
      if (entry === undefined || entry.epoch !== epochOf(corridorId) || now - entry.asOf >= staleMs) {
        return serve(await refresh(key, question, maxAgeMs));
      }
      if (options !== undefined && now - entry.asOf >= maxAgeMs) {
        return serve(await refresh(key, question, maxAgeMs));
      }
      // Whoever asks now is served what is at hand; a failed refresh shows in the next answer.
      if (now >= entry.refreshAt) refresh(key, question, maxAgeMs).catch(() => undefined);
      return serve(entry);
    },
    async quoteFrom(corridorId, anchorId, amount, deliveryMethod) {
      const corridor = directory.corridor(corridorId);
      const anchor = directory.anchorsOf(corridorId).find(({ id }) => id === anchorId);
      if (corridor === undefined || anchor === undefined) return { quote: null, reason: 'not_served' };
      if (isOutOfRange(corridor, amount)) return { quote: null, reason: 'refused_amount' };
      const row = await rowCache.row({ corridor, amount: plain(amount), deliveryMethod }, anchor, freshMs);
      if ('reason' in row.reply) return { quote: null, reason: row.reply.reason };
      const quote = toQuote(corridor, row, deps.reputationOf(anchorId, corridorId));
      return quote === undefined ? { quote: null, reason: 'error' } : { quote };
    },
  };
}

interface AskedOf {
  corridor: Corridor;
  /** Normalised. */
  amount: string;
  deliveryMethod: string | undefined;
}

function amountError(message: string): ApiError {
  return new ApiError('AMOUNT_OUT_OF_RANGE', message, { details: [{ path: 'query.amount', message }] });
}
