import type { RatesAnswer, UnavailableReason } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import {
  assembleAnswer,
  judgeReplies,
  ownPriceIn,
  type Reply,
  unavailableOf,
  waitingHelps,
} from './answer.rules.js';
import { type Band, bandOf, type MidMarket } from './mid-market.rules.js';
import { type AnchorQuestion, allRefused, type Question, referenceQuestion } from './question.rules.js';
import { freshMs, isBusy, isQuoted, orLastQuote, type Replies } from './replies.js';
import { type QuoteReputation, type TypicalRecord, typicalRecord } from './worth.rules.js';

const retryAfterSeconds = 5;

export type Answers = ReturnType<typeof createAnswers>;

/** Makes the answer about a corridor from the replies of its anchors. */
export function createAnswers(deps: {
  directory: Pick<AnchorDirectory, 'anchorsOf'>;
  replies: Replies;
  /** An anchor's record in a corridor, read from memory. */
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  /** Whether an FX reference is configured. */
  hasFx: boolean;
  clock: Clock;
}) {
  const { directory, replies, clock } = deps;

  /** What there is to ask to answer a question: one question to each anchor. */
  function toEachAnchor({ corridor, asked, deliveryMethod }: Question): AnchorQuestion[] {
    return directory
      .anchorsOf(corridor.id)
      .map((anchor) => ({ corridor, anchor, asked, deliveryMethod, forIntent: false }));
  }

  /** Throws AMOUNT_OUT_OF_RANGE or RATES_UNAVAILABLE. */
  function answerFrom(question: Question, received: readonly Reply[], market: MidMarket): RatesAnswer {
    const { corridor, asked, sort } = question;
    const shown = withLastQuotes(received);
    const result = judgeReplies(shown);
    if (result === 'all_refused') throw allRefused(asked);
    if (result === 'nobody_answers') throw ratesUnavailable(corridor, shown);
    const quoted = shown.filter(isQuoted);
    const asOf = Math.min(...(quoted.length > 0 ? quoted : shown).map(({ at }) => at), clock());
    return assembleAnswer(corridor, asked, shown, {
      reputationOf: (anchorId) => deps.reputationOf(anchorId, corridor.id),
      typical: typicalOf(corridor),
      market,
      band: bandFor(corridor, shown, market),
      sort,
      asOf,
      stale: clock() - asOf > freshMs,
    });
  }

  /** The last quote of an anchor stands in while our calls to it are used up, and that of each while none answers. */
  function withLastQuotes(received: readonly Reply[]): Reply[] {
    const now = clock();
    const shown = received.map((reply) => (isBusy(reply) ? orLastQuote(reply, now) : reply));
    return judgeReplies(shown) === 'nobody_answers' ? shown.map((reply) => orLastQuote(reply, now)) : shown;
  }

  /** Covers every anchor of the corridor, so that it does not depend on which anchors quote this amount. */
  function typicalOf({ id, speedTargetSeconds }: Corridor): TypicalRecord {
    const records = directory.anchorsOf(id).map((anchor) => deps.reputationOf(anchor.id, id));
    return typicalRecord(records, speedTargetSeconds);
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

  function ratesUnavailable(corridor: Corridor, received: readonly Reply[]): ApiError {
    const unavailable = unavailableOf(received);
    const retryAfter = retryAfterFor(unavailable.map(({ reason }) => reason));
    return new ApiError('RATES_UNAVAILABLE', `No anchor of ${corridor.id} has a quote.`, {
      unavailable,
      ...(retryAfter === null ? {} : { retryAfter }),
    });
  }

  /** In seconds; null if waiting does not help. */
  function retryAfterFor(reasons: readonly UnavailableReason[]): number | null {
    return waitingHelps(reasons, deps) ? retryAfterSeconds : null;
  }

  return { toEachAnchor, answerFrom, bandFor, retryAfterFor };
}
