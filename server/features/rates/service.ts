import type {
  RateQuote,
  RatesAnswer,
  RatesQuery,
  UnavailableReason,
} from '../../../contract/schemas/rates.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { type Clock, toInstant } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Reply } from './answer.rules.js';
import type { Answers, Question } from './answers.js';
import type { FxReference } from './fx-reference.js';
import { type MidMarket, outsideBand } from './mid-market.rules.js';
import { askedFor, keyOfAsked } from './question.rules.js';
import { freshMs, isBusy, isQuoted, orLastQuote, type Replies, type ReplyQuestion } from './replies.js';

export interface Rates {
  /**
   * The ranked offers of a corridor, with the milliseconds for which the answer stays fresh. If quotes are older than
   * `maxAgeMs`, it asks again and waits. `admitNew` is called before anchors are asked for an amount that was not asked
   * for before; its errors are passed on. Throws INVALID_REQUEST, UNKNOWN_CORRIDOR, UNSUPPORTED_PAIR,
   * AMOUNT_OUT_OF_RANGE, RATES_UNAVAILABLE.
   */
  quote(corridorId: string, query: RatesQuery, options?: AskOptions): Promise<ServedRates>;
  /** The same question in a form that can be asked repeatedly. Throws like `quote` if the question is invalid. */
  live(corridorId: string, query: RatesQuery): LiveQuestion;
  /**
   * The current offer of one anchor to an intent, without asking the others. Does not throw for failures of the
   * anchor. `retryAfter` is in seconds; null if waiting does not help.
   */
  quoteFrom(
    corridorId: string,
    anchorId: string,
    amount: string,
    deliveryMethod: string | undefined,
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
  answers: Answers;
  /** Grows when what was asked before is void. */
  version: () => number;
  /** The reference rates for the cost of quotes. */
  fx: Pick<FxReference, 'source' | 'rateOf' | 'knownRateOf'>;
  clock: Clock;
}

export function createRates(deps: RatesDeps): Rates {
  const { directory, replies, clock } = deps;
  const { toEachAnchor, answerFrom, bandFor, retryAfterFor } = deps.answers;

  /** By question, the requests for new amounts that are being admitted and answered. They never reject. */
  const admitting = new Map<string, Promise<unknown>>();

  /** Stale replies do, unless there is no quote among them: nobody is told for a minute that there is none. */
  async function repliesTo(question: Question, maxAgeMs: number | undefined): Promise<Reply[]> {
    const questions = toEachAnchor(question);
    const ask = (ages?: { maxAgeMs: number }) =>
      Promise.all(questions.map((each) => replies.get(each, ages)));
    const received = await ask(maxAgeMs === undefined ? undefined : { maxAgeMs });
    const hasQuote = received.some((reply) => isQuoted(orLastQuote(reply, clock())));
    return hasQuote ? received : ask({ maxAgeMs: freshMs });
  }

  /** Whether an anchor has to be asked for an amount that it was not asked for lately. Reference amounts are never new. */
  function isNew(question: Question): boolean {
    if (question.asked.amount === question.corridor.referenceAmount) return false;
    return toEachAnchor(question).some((each) => !replies.has(each));
  }

  async function midMarket({ sellCode, currency }: Corridor): Promise<MidMarket> {
    return { reading: await deps.fx.rateOf({ code: sellCode, currency }), source: deps.fx.source };
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

  /** Asks again where the calls of others were used up: an intent has calls of its own. */
  async function replyForIntent(question: ReplyQuestion): Promise<Reply> {
    const reply = await replies.get(question, { maxAgeMs: freshMs });
    return isBusy(reply) ? orLastQuote(await replies.refresh(question), clock()) : reply;
  }

  function noQuote(reason: UnavailableReason): NoQuote {
    return { quote: null, reason, retryAfter: retryAfterFor([reason]) };
  }

  /** A missing quote, which is requested again sooner, does not make the others older. */
  function served(answer: RatesAnswer): ServedRates {
    const freshForMs = answer.stale ? 0 : Date.parse(answer.asOf) + freshMs - clock();
    return { answer, freshForMs };
  }

  function questionOf(corridorId: string, query: RatesQuery): Question {
    const { amount, receive, deliveryMethod: givenMethod, sort = 'best', ...unused } = query;
    // A parameter that the contract declares and nothing here uses does not compile.
    unused satisfies Record<string, never>;
    const corridor = directory.corridor(corridorId);
    if (corridor === undefined) {
      throw new ApiError('UNKNOWN_CORRIDOR', `The corridor ${corridorId} is not served.`);
    }
    const deliveryMethod = methodIn(corridor, givenMethod);
    const asked = askedFor({ amount, receive }, corridor);
    return { corridor, asked, deliveryMethod, sort };
  }

  function ask(question: Question, { maxAgeMs, admitNew }: AskOptions): Promise<ServedRates> {
    const answer = () => askNow(question, maxAgeMs);
    return admitNew === undefined ? answer() : admitted(question, admitNew, answer);
  }

  /** While a request for a new amount is being admitted and answered, others for the same amount wait, and are not counted. */
  async function admitted(
    question: Question,
    admitNew: () => Promise<void>,
    answer: () => Promise<ServedRates>,
  ): Promise<ServedRates> {
    const key = keyOf({ ...question, sort: 'best' });
    for (let other = admitting.get(key); other !== undefined; other = admitting.get(key)) await other;
    if (!isNew(question)) return answer();
    const first = admitNew().then(answer);
    const ended = first.catch(() => undefined).finally(() => admitting.delete(key));
    admitting.set(key, ended);
    return first;
  }

  async function askNow(question: Question, maxAgeMs: number | undefined): Promise<ServedRates> {
    const [received, market] = await Promise.all([
      repliesTo(question, maxAgeMs),
      midMarket(question.corridor),
    ]);
    return served(answerFrom(question, received, market));
  }

  function live(question: Question): LiveQuestion {
    let last: { replies: Reply[]; answer: RatesAnswer } | undefined;

    /** The same object until a reply changes or the answer becomes stale. */
    function known(): RatesAnswer | undefined {
      const found = toEachAnchor(question).flatMap((each) => replies.peek(each)?.value ?? []);
      if (found.length < directory.anchorsOf(question.corridor.id).length) return undefined;
      const isSame = last !== undefined && found.every((reply, at) => reply === last?.replies[at]);
      const isStillFresh = last !== undefined && clock() - Date.parse(last.answer.asOf) <= freshMs;
      if (last !== undefined && isSame && (last.answer.stale || isStillFresh)) return last.answer;
      const { sellCode, currency } = question.corridor;
      const reading = deps.fx.knownRateOf({ code: sellCode, currency });
      try {
        last = { replies: found, answer: answerFrom(question, found, { reading, source: deps.fx.source }) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        last = undefined;
      }
      return last?.answer;
    }

    return {
      key: keyOf(question),
      version: deps.version,
      kept() {
        const answer = known();
        return answer === undefined ? undefined : served(answer);
      },
      costsCalls: () =>
        question.asked.amount !== question.corridor.referenceAmount &&
        toEachAnchor(question).some((each) => replies.peek(each)?.fresh !== true),
      ask: (options = {}) => ask(question, options),
    };
  }

  return {
    quote: async (corridorId, query, options = {}) => ask(questionOf(corridorId, query), options),
    live: (corridorId, query) => live(questionOf(corridorId, query)),
    async quoteFrom(corridorId, anchorId, amount, deliveryMethod) {
      const corridor = directory.corridor(corridorId);
      const anchor = directory.anchorsOf(corridorId).find(({ id }) => id === anchorId);
      if (corridor === undefined || anchor === undefined) return noQuote('not_served');
      if (isOutOfRange(amount, corridor)) return noQuote('refused_amount');
      const offered = anchor.corridors.find(({ id }) => id === corridorId)?.deliveryMethods ?? [];
      const own = deliveryMethod === undefined ? undefined : findDeliveryMethod(offered, deliveryMethod);
      if (own === undefined && deliveryMethod !== undefined) return noQuote('not_served');
      const asked = { amount: plainDecimal(amount) };
      const question = { corridor, anchor, asked, deliveryMethod: own, forIntent: true };
      const [market, reply] = await Promise.all([midMarket(corridor), replyForIntent(question)]);
      if (!isQuoted(reply)) return noQuote('reason' in reply.result ? reply.result.reason : 'error');
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
