import type {
  QuoteSort,
  RateQuote,
  RatesAnswer,
  UnavailableReason,
} from '../../../contract/schemas/rates.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { createCache } from '../../cache/cache.js';
import type { Announce } from '../../cache/changes.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { type Clock, toInstant } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CacheEpoch } from '../cache/epoch.js';
import {
  assembleAnswer,
  judgeReplies,
  ownPriceIn,
  type Reply,
  unavailableOf,
  waitingHelps,
} from './answer.rules.js';
import { type Band, bandOf, outsideBand } from './band.rules.js';
import type { MidMarket } from './cost.rules.js';
import type { FxReference } from './fx-reference.js';
import {
  type AskedFor,
  allRefused,
  askedFor,
  isReferenceQuestion,
  keyOfAsked,
  type LiveQuery,
} from './question.rules.js';
import type { QuoteWatch } from './quote-watch.js';
import { type QuoteReputation, type TypicalRecord, typicalRecord } from './record.rules.js';
import { freshMs, isRecent, type Replies, replyForIntent, replyFreshUntil, staleMs } from './replies.js';

export interface Rates {
  /**
   * The ranked offers of a corridor, with the milliseconds for which the answer stays fresh. If quotes are older than
   * `maxAgeMs`, it asks again and waits. `admitNew` is called before anchors are asked for an amount that was not asked
   * for before; its errors are passed on. Throws INVALID_REQUEST, UNKNOWN_CORRIDOR, UNSUPPORTED_PAIR,
   * AMOUNT_OUT_OF_RANGE, RATES_UNAVAILABLE.
   */
  quote(corridorId: string, query: LiveQuery, options?: AskOptions): Promise<ServedRates>;
  /** The same question in a form that can be asked repeatedly. Throws like `quote` if the question is invalid. */
  live(corridorId: string, query: LiveQuery): LiveQuestion;
  /**
   * The current offer of one anchor to an intent of `client`, without asking the others. Does not throw for failures of the
   * anchor. `retryAfter` is in seconds; null if waiting does not help.
   */
  quoteFrom(
    corridorId: string,
    anchorId: string,
    amount: string,
    deliveryMethod: string | undefined,
    client: string,
  ): Promise<{ quote: QuoteForIntent } | NoQuote>;
}

/** An answer, with the milliseconds for which it stays fresh. */
export interface ServedRates {
  answer: RatesAnswer;
  freshForMs: number;
}

/** A question that is asked repeatedly, for example for the readers of a stream. */
export interface LiveQuestion {
  /** Questions with the same key have the same answers. */
  key: string;
  /** Changes when the operator invalidates earlier answers. */
  version(): number;
  /** The answer in the cache, without asking any anchor; undefined if there is none. */
  kept(): ServedRates | undefined;
  /** Whether asking would call anchors for an amount other than the reference amount, which is kept quoted in any case. */
  costsCalls(): boolean;
  ask(options?: AskOptions): Promise<ServedRates>;
}

export interface AskOptions {
  maxAgeMs?: number;
  /** If the answer is rebuilt, anchors whose reply is at least this old are asked again. Default: `maxAgeMs`. */
  replyMaxAgeMs?: number;
  admitNew?: () => Promise<void>;
}

/** A quote without the members for comparing quotes, since nothing is ranked for an intent. */
export type QuoteForIntent = Pick<
  RateQuote,
  'tier' | 'sellAmount' | 'receiveAmount' | 'rate' | 'adjusted' | 'quotedAt' | 'unranked'
>;

export interface NoQuote {
  quote: null;
  reason: UnavailableReason;
  retryAfter: number | null;
}

export interface RatesDeps {
  directory: Pick<AnchorDirectory, 'corridor' | 'anchorsOf'>;
  replies: Replies;
  cacheEpoch: Pick<CacheEpoch, 'onEmptied'>;
  /** Answers and replies of another version are void. */
  version: () => number;
  /** An anchor's record in a corridor, read from memory. */
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  /** The reference rates for the cost of quotes. */
  fx: Pick<FxReference, 'source' | 'rateOf'>;
  watch: Pick<QuoteWatch, 'judged'>;
  cacheBytes: number;
  announce: Announce;
  /** Whether an FX reference is configured. */
  hasFx: boolean;
  clock: Clock;
}

interface Question {
  corridor: Corridor;
  asked: AskedFor;
  deliveryMethod: string | undefined;
  sort: QuoteSort;
  /** Anchors whose reply is at least this old are asked again. */
  maxAgeMs: number;
}

/** A cached answer in its fresh and its stale form. Both stay the same objects, so that each is serialised once. */
interface KeptAnswer {
  fresh: RatesAnswer;
  stale: RatesAnswer | undefined;
  /** The instant of the oldest quote. */
  asOf: number;
  refreshAt: number;
}

const retryAfterSeconds = 5;
/** Anchors without a quote may be asked again sooner, but an answer is not rebuilt for every request. */
const leastFreshMs = 1_000;
/** After a refresh that no anchor answered, the old answer is still served and the next try waits this long. */
const retryMs = 2_000;

export function createRates(deps: RatesDeps): Rates {
  const { directory, replies, clock } = deps;
  const answers = createCache<Question, KeptAnswer>({
    load: build,
    keyOf,
    lifetimeOf: ({ asOf, refreshAt }) => ({ asOf, freshUntil: refreshAt, staleUntil: asOf + staleMs }),
    versionOf: deps.version,
    maxBytes: deps.cacheBytes,
    // The stale form, and both forms as rendered and compressed bytes, are kept as well.
    bytesOf: ({ fresh }) => 6 * JSON.stringify(fresh).length,
    onLoaded: () => deps.announce('rates'),
    clock,
  });
  deps.cacheEpoch.onEmptied(() => replies.dropVoid() + answers.dropVoid());
  /** By question, the requests for new amounts that are being admitted and answered. They never reject. */
  const admitting = new Map<string, Promise<unknown>>();

  async function build(question: Question, previous: KeptAnswer | undefined): Promise<KeptAnswer> {
    const { corridor, asked, deliveryMethod, sort, maxAgeMs } = question;
    const [market, received] = await Promise.all([
      midMarket(corridor),
      Promise.all(
        directory
          .anchorsOf(corridor.id)
          .map((anchor) => replies.get({ corridor, anchor, asked, deliveryMethod }, { maxAgeMs })),
      ),
    ]);
    const result = judgeReplies(received);
    if (result === 'all_refused') throw allRefused(asked);
    if (result === 'nobody_answers') return keepOld(previous, corridor, received);
    const quoted = received.filter((reply) => 'offer' in reply.result);
    const asOf = Math.min(...(quoted.length > 0 ? quoted : received).map((reply) => reply.at), clock());
    const fresh = assembleAnswer(corridor, asked, received, {
      reputationOf: (anchorId) => deps.reputationOf(anchorId, corridor.id),
      typical: typicalOf(corridor),
      market,
      band: bandFor(corridor, received, market),
      sort,
      asOf,
      stale: false,
    });
    if (isReferenceQuestion(question)) {
      for (const quote of fresh.quotes)
        deps.watch.judged({ ...quote, corridorId: corridor.id }, quote.unranked);
    }
    const repliesFreshUntil = Math.min(...received.map(replyFreshUntil), clock() + freshMs);
    return { fresh, stale: undefined, asOf, refreshAt: Math.max(clock() + leastFreshMs, repliesFreshUntil) };
  }

  /** Whether an anchor has to be asked for an amount that it was not asked for lately. Reference amounts are never new. */
  function isNew({ corridor, asked, deliveryMethod }: Question): boolean {
    if (asked.amount === corridor.referenceAmount) return false;
    return directory
      .anchorsOf(corridor.id)
      .some((anchor) => !replies.has({ corridor, anchor, asked, deliveryMethod }));
  }

  /** Covers every anchor of the corridor, so that it does not depend on which anchors quote this amount. */
  function typicalOf({ id, speedTargetSeconds }: Corridor): TypicalRecord {
    const records = directory.anchorsOf(id).map((anchor) => deps.reputationOf(anchor.id, id));
    return typicalRecord(records, speedTargetSeconds);
  }

  async function midMarket({ sellCode, currency }: Corridor): Promise<MidMarket> {
    return { reading: await deps.fx.rateOf({ code: sellCode, currency }), source: deps.fx.source };
  }

  /**
   * For an anchor that was not asked or has no quote, its price for the reference amount is used while it is kept. So there
   * is a band for an intent, and for an amount that only one anchor quotes.
   */
  function bandFor(corridor: Corridor, received: readonly Reply[], { reading }: MidMarket): Band {
    const asked = { amount: corridor.referenceAmount };
    const prices = directory.anchorsOf(corridor.id).flatMap((anchor) => {
      const reply = received.find(({ anchorId, result }) => anchorId === anchor.id && 'offer' in result);
      const kept = () => replies.peek({ corridor, anchor, asked, deliveryMethod: undefined })?.value;
      return ownPriceIn(reply ?? kept()) ?? [];
    });
    return bandOf({ prices, market: reading, factor: corridor.quoteBandFactor });
  }

  /** If no anchor answered, an answer of the last minute is better than none. */
  function keepOld(
    previous: KeptAnswer | undefined,
    corridor: Corridor,
    received: readonly Reply[],
  ): KeptAnswer {
    if (previous === undefined || !isRecent(previous.asOf, clock())) {
      const unavailable = unavailableOf(received);
      const retryAfter = retryAfterFor(unavailable.map(({ reason }) => reason));
      throw new ApiError('RATES_UNAVAILABLE', `No anchor of ${corridor.id} has a quote.`, {
        unavailable,
        ...(retryAfter === null ? {} : { retryAfter }),
      });
    }
    previous.refreshAt = clock() + retryMs;
    return previous;
  }

  /** The method as the first anchor of the corridor spells it. Throws UNSUPPORTED_PAIR if no anchor offers it. */
  function methodIn(corridor: Corridor, asked: string | undefined): string | undefined {
    if (asked === undefined) return undefined;
    const offered = directory
      .anchorsOf(corridor.id)
      .flatMap(({ corridors }) => corridors.find(({ id }) => id === corridor.id)?.deliveryMethods ?? []);
    const found = findDeliveryMethod(offered, asked);
    if (found !== undefined) return found;
    throw unsupportedPair('query.deliveryMethod', 'is not offered by any anchor of this corridor');
  }

  function retryAfterFor(reasons: readonly UnavailableReason[]): number | null {
    return waitingHelps(reasons, deps) ? retryAfterSeconds : null;
  }

  function noQuote(reason: UnavailableReason): NoQuote {
    return { quote: null, reason, retryAfter: retryAfterFor([reason]) };
  }

  function serve(kept: KeptAnswer): ServedRates {
    const now = clock();
    // A missing quote, which is requested again sooner, does not make the others older.
    if (now - kept.asOf <= freshMs) return { answer: kept.fresh, freshForMs: kept.asOf + freshMs - now };
    kept.stale ??= { ...kept.fresh, stale: true };
    return { answer: kept.stale, freshForMs: 0 };
  }

  function questionOf(corridorId: string, query: LiveQuery): Question {
    const { amount, receive, deliveryMethod: givenMethod, sort = 'best', ...unused } = query;
    // A parameter that the contract declares and nothing here uses does not compile.
    unused satisfies Record<string, never>;
    const corridor = directory.corridor(corridorId);
    if (corridor === undefined) {
      throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${corridorId} is not served.`);
    }
    const deliveryMethod = methodIn(corridor, givenMethod);
    const asked = askedFor({ amount, receive }, corridor);
    return { corridor, asked, deliveryMethod, sort, maxAgeMs: freshMs };
  }

  async function ask(question: Question, options: AskOptions): Promise<ServedRates> {
    const { maxAgeMs, replyMaxAgeMs = maxAgeMs, admitNew } = options;
    const asking = { ...question, maxAgeMs: replyMaxAgeMs ?? question.maxAgeMs };
    const get = () => answers.get(asking, maxAgeMs === undefined ? undefined : { maxAgeMs });
    return serve(await (admitNew === undefined ? get() : admitted(question, admitNew, get)));
  }

  /** While a request for a new amount is being admitted and answered, others for the same amount wait, and are not counted. */
  async function admitted<T>(
    question: Question,
    admitNew: () => Promise<void>,
    get: () => Promise<T>,
  ): Promise<T> {
    const key = keyOf({ ...question, sort: 'best' });
    for (let other = admitting.get(key); other !== undefined; other = admitting.get(key)) await other;
    if (!isNew(question)) return get();
    const answer = admitNew().then(get);
    admitting.set(
      key,
      answer.catch(() => undefined).finally(() => admitting.delete(key)),
    );
    return answer;
  }

  return {
    quote: async (corridorId, query, options = {}) => ask(questionOf(corridorId, query), options),
    live(corridorId, query) {
      const question = questionOf(corridorId, query);
      const { corridor, asked, deliveryMethod } = question;
      return {
        key: keyOf(question),
        version: deps.version,
        kept() {
          const kept = answers.peek(question);
          return kept === undefined ? undefined : serve(kept.value);
        },
        costsCalls: () =>
          asked.amount !== corridor.referenceAmount &&
          directory
            .anchorsOf(corridor.id)
            .some((anchor) => replies.peek({ corridor, anchor, asked, deliveryMethod })?.fresh !== true),
        ask: (options = {}) => ask(question, options),
      };
    },
    async quoteFrom(corridorId, anchorId, amount, deliveryMethod, client) {
      const corridor = directory.corridor(corridorId);
      const anchor = directory.anchorsOf(corridorId).find(({ id }) => id === anchorId);
      if (corridor === undefined || anchor === undefined) return noQuote('not_served');
      if (isOutOfRange(amount, corridor)) return noQuote('refused_amount');
      const offered = anchor.corridors.find(({ id }) => id === corridorId)?.deliveryMethods ?? [];
      const own = deliveryMethod === undefined ? undefined : findDeliveryMethod(offered, deliveryMethod);
      if (own === undefined && deliveryMethod !== undefined) return noQuote('not_served');
      const asked = { amount: plainDecimal(amount) };
      const question = { corridor, anchor, asked, deliveryMethod: own, intentClient: client };
      const [market, reply] = await Promise.all([midMarket(corridor), replyForIntent(replies, question)]);
      if ('reason' in reply.result) return noQuote(reply.result.reason);
      const { tier, sellAmount, receiveAmount, rate, adjusted } = reply.result.offer;
      const unranked = outsideBand(rate, bandFor(corridor, [reply], market));
      const quotedAt = toInstant(reply.at);
      return { quote: { tier, sellAmount, receiveAmount, rate, adjusted, quotedAt, unranked } };
    },
  };
}

function keyOf({ corridor, asked, deliveryMethod, sort }: Question): string {
  return [corridor.id, keyOfAsked(asked), deliveryMethod ?? '', sort].join('|');
}
