import type { UnavailableAnchor } from '../../../contract/errors.js';
import type { RatesAnswer, RatesQuery, UnavailableReason } from '../../../contract/schemas/rates.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { createCache } from '../../cache/cache.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { ApiError, unsupportedPair } from '../../errors.js';
import { type Clock, toInstant } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import {
  assembleAnswer,
  freshMs,
  isBusy,
  isQuoted,
  judgeReplies,
  orLastQuote,
  ownPriceIn,
  type Reply,
  reasonFreshMs,
  staleMs,
  unavailableOf,
  waitingHelps,
  withLastQuotes,
} from './answer.rules.js';
import type { AskAnchor } from './ask-anchor.js';
import type { FxReference } from './fx-reference.js';
import { type Band, bandOf, type MidMarket, outsideBand } from './mid-market.rules.js';
import {
  type AnchorQuestion,
  allRefused,
  askedFor,
  keyOf,
  type Question,
  referenceQuestion,
} from './question.rules.js';
import { type QuoteReputation, typicalRecord } from './worth.rules.js';

const retryAfterSeconds = 5;
/** Some 1,500 bytes each. */
const mostReplies = 20_000;

export type Rates = ReturnType<typeof createRates>;

interface AskOptions {
  /** If quotes are older than this, the anchors are asked again and the answer waits for them. */
  maxAgeMs?: number;
  /** Called before anchors are asked for an amount that was not asked for before; its errors are passed on. */
  admitNew?: () => Promise<void>;
}

export function createRates(deps: {
  directory: Pick<AnchorDirectory, 'corridor' | 'anchorsOf'>;
  askAnchor: AskAnchor;
  /** The reference rates for the cost of quotes. */
  fx: Pick<FxReference, 'source' | 'rateOf'>;
  /** Whether an FX reference is configured. */
  hasFx: boolean;
  /** An anchor's record in a corridor, read from memory. */
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  clock: Clock;
}) {
  const { directory, clock } = deps;
  const replies = createReplies(deps.askAnchor, clock);

  /** By question, the requests for new amounts that are being admitted and answered. They never reject. */
  const admitting = new Map<string, Promise<unknown>>();

  /** Throws INVALID_REQUEST, UNKNOWN_CORRIDOR, UNSUPPORTED_PAIR, AMOUNT_OUT_OF_RANGE. */
  function questionOf(corridorId: string, query: RatesQuery): Question {
    const { amount, receive, deliveryMethod, sort = 'best', ...unused } = query;
    // A parameter that the contract declares and nothing here uses does not compile.
    unused satisfies Record<string, never>;
    const corridor = directory.corridor(corridorId);
    if (corridor === undefined) throw unknownCorridor(corridorId);
    if (deliveryMethod !== undefined && !isOffered(corridor, deliveryMethod))
      throw unsupportedPair('query.deliveryMethod', 'is not offered by any anchor of this corridor');
    return { corridor, asked: askedFor({ amount, receive }, corridor), deliveryMethod, sort };
  }

  function isOffered({ id }: Corridor, method: string): boolean {
    const served = directory.anchorsOf(id).flatMap(({ corridors }) => corridors);
    return served.some((each) => each.id === id && findDeliveryMethod(each.deliveryMethods, method));
  }

  /** What there is to ask to answer a question: one question to each anchor. */
  function toEachAnchor({ corridor, asked, deliveryMethod }: Question): AnchorQuestion[] {
    return directory
      .anchorsOf(corridor.id)
      .map((anchor) => ({ corridor, anchor, asked, deliveryMethod, forIntent: false }));
  }

  /** Stale replies do, unless there is no quote among them: nobody is told for a minute that there is none. */
  async function repliesTo(question: Question, maxAgeMs: number | undefined): Promise<Reply[]> {
    const questions = toEachAnchor(question);
    const ask = (ages?: { maxAgeMs: number }) =>
      Promise.all(questions.map((each) => replies.get(each, ages)));
    const received = await ask(maxAgeMs === undefined ? undefined : { maxAgeMs });
    const hasQuote = received.some((reply) => isQuoted(orLastQuote(reply, clock())));
    return hasQuote ? received : ask({ maxAgeMs: freshMs });
  }

  async function midMarket(corridor: Corridor): Promise<MidMarket> {
    return { reading: await deps.fx.rateOf(corridor), source: deps.fx.source };
  }

  /** The answer, with the milliseconds for which it stays fresh. */
  async function answerNow(question: Question, maxAgeMs?: number) {
    const asked = repliesTo(question, maxAgeMs);
    const [received, market] = await Promise.all([asked, midMarket(question.corridor)]);
    const answer = answerFrom(question, withLastQuotes(received, clock()), market);
    // A missing quote, which is requested again sooner, does not make the others older.
    const freshForMs = answer.stale ? 0 : Date.parse(answer.asOf) + freshMs - clock();
    return { answer, freshForMs };
  }

  /** Throws AMOUNT_OUT_OF_RANGE or RATES_UNAVAILABLE. */
  function answerFrom(question: Question, shown: readonly Reply[], market: MidMarket): RatesAnswer {
    const { corridor } = question;
    const { id } = corridor;
    const result = judgeReplies(shown);
    if (result === 'all_refused') throw allRefused(question.asked);
    if (result === 'nobody_answers') {
      const unavailable = unavailableOf(shown);
      throw ratesUnavailable(id, unavailable, retryAfterFor(unavailable.map(({ reason }) => reason)));
    }
    const quoted = shown.filter(isQuoted);
    const asOf = Math.min(...(quoted.length > 0 ? quoted : shown).map(({ at }) => at), clock());
    // Covers every anchor of the corridor, so that it does not depend on which anchors quote this amount.
    const records = directory.anchorsOf(id).map((anchor) => deps.reputationOf(anchor.id, id));
    return assembleAnswer(question, shown, {
      reputationOf: (anchorId) => deps.reputationOf(anchorId, id),
      typical: typicalRecord(records, corridor.speedTargetSeconds),
      market,
      band: bandFor(corridor, shown, market),
      asOf,
      stale: clock() - asOf > freshMs,
    });
  }

  /**
   * For an anchor that was not asked or has no quote, its price for the reference amount is used while it is kept. So there
   * is a band for an intent, and for an amount that only one anchor quotes.
   */
  function bandFor(corridor: Corridor, received: readonly Reply[], { reading }: MidMarket): Band {
    const prices = toEachAnchor(referenceQuestion(corridor)).flatMap((each) => {
      const reply = received.find((given) => given.anchorId === each.anchor.id && isQuoted(given));
      return ownPriceIn(reply ?? replies.peek(each)?.value) ?? [];
    });
    return bandOf({ prices, market: reading, factor: corridor.quoteBandFactor });
  }

  /** In seconds; undefined if waiting does not help. */
  function retryAfterFor(reasons: readonly UnavailableReason[]): number | undefined {
    return waitingHelps(reasons, deps) ? retryAfterSeconds : undefined;
  }

  /** Whether an anchor has to be asked for an amount that it was not asked for lately. Reference amounts are never new. */
  function isNew(question: Question): boolean {
    if (question.asked.amount === question.corridor.referenceAmount) return false;
    return toEachAnchor(question).some((each) => !replies.has(each));
  }

  /** Throws AMOUNT_OUT_OF_RANGE, RATES_UNAVAILABLE. */
  async function answer(question: Question, { maxAgeMs, admitNew }: AskOptions = {}) {
    if (admitNew === undefined) return answerNow(question, maxAgeMs);
    // While a new amount is being admitted and answered, others who ask for it wait, and are not counted.
    const key = keyOf(question);
    for (let other = admitting.get(key); other !== undefined; other = admitting.get(key)) await other;
    if (!isNew(question)) return answerNow(question, maxAgeMs);
    const first = admitNew().then(() => answerNow(question, maxAgeMs));
    const ended = first.catch(() => undefined).finally(() => admitting.delete(key));
    admitting.set(key, ended);
    return first;
  }

  /** Asks again where the calls of others were used up: an intent has calls of its own. */
  async function replyForIntent(question: AnchorQuestion): Promise<Reply> {
    const reply = await replies.get(question, { maxAgeMs: freshMs });
    return isBusy(reply) ? orLastQuote(await replies.refresh(question), clock()) : reply;
  }

  /** The current offer of one anchor to an intent, without asking the others. Does not throw for failures of the anchor. */
  async function quoteFrom(corridorId: string, anchorId: string, amount: string, deliveryMethod?: string) {
    const noQuote = (reason: UnavailableReason) => ({
      quote: null,
      reason,
      retryAfter: retryAfterFor([reason]),
    });
    const corridor = directory.corridor(corridorId);
    const anchor = directory.anchorsOf(corridorId).find(({ id }) => id === anchorId);
    if (corridor === undefined || anchor === undefined) return noQuote('not_served');
    if (isOutOfRange(amount, corridor)) return noQuote('refused_amount');
    const asked = { amount: plainDecimal(amount) };
    const question = { corridor, anchor, asked, deliveryMethod, forIntent: true };
    const [market, reply] = await Promise.all([midMarket(corridor), replyForIntent(question)]);
    if (!isQuoted(reply)) return noQuote('reason' in reply.result ? reply.result.reason : 'error');
    const { tier, sellAmount, receiveAmount, rate, adjusted } = reply.result.offer;
    const unranked = outsideBand(rate, bandFor(corridor, [reply], market));
    return {
      quote: { tier, sellAmount, receiveAmount, rate, adjusted, quotedAt: toInstant(reply.at), unranked },
    };
  }

  return {
    questionOf,
    answer,
    /** The ranked offers of a corridor. Throws what `questionOf` and `answer` throw. */
    quote: async (corridorId: string, query: RatesQuery, options?: AskOptions) =>
      answer(questionOf(corridorId, query), options),
    quoteFrom,
    /** Forgets all replies; returns how many there were. */
    clear: replies.clear,
  };
}

/** The replies of single anchors, by corridor, amount and delivery method. */
function createReplies(askAnchor: AskAnchor, clock: Clock) {
  return createCache<AnchorQuestion, Reply>({
    async load(question, previous) {
      const result = await askAnchor(question);
      const lastQuote = previous === undefined || isQuoted(previous) ? previous : previous.lastQuote;
      const kept = 'offer' in result || lastQuote === undefined ? {} : { lastQuote };
      const { id, name, simulated } = question.anchor;
      return { anchorId: id, anchorName: name, simulated, result, at: clock(), ...kept };
    },
    keyOf: (question) => [question.anchor.id, keyOf(question)].join('|'),
    freshMs: ({ result }) => ('reason' in result ? reasonFreshMs[result.reason] : freshMs),
    staleMs,
    max: mostReplies,
    clock,
  });
}

function ratesUnavailable(
  id: string,
  unavailable: UnavailableAnchor[],
  retryAfter: number | undefined,
): ApiError {
  return new ApiError('RATES_UNAVAILABLE', `No anchor of ${id} has a quote.`, { unavailable, retryAfter });
}

function unknownCorridor(id: string): ApiError {
  return new ApiError('UNKNOWN_CORRIDOR', `The corridor ${id} is not served.`);
}
