import { isRefused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { maxPriceBytes } from '../../anchor-answers.rules.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.js';
import { toUpstreamFault, UpstreamFault } from '../../outbound/upstream-fault.js';
import type { Clock } from '../../ports.js';
import { withTimeout } from '../../timing.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CallAnchor, CallResult } from './anchor-calls.js';
import type { QuoteResult } from './answer.rules.js';
import { offerFromFee } from './estimate.rules.js';
import type { FeeInfo } from './fee-info.js';
import type { FxReference } from './fx-reference.js';
import { offerFromSep38 } from './offer.rules.js';
import { type AskedFor, isReferenceQuestion } from './question.rules.js';
import type { NoteOutcome } from './quote-outcomes.js';
import { contextFor, priceUrl, readPrice, reasonOfStatus } from './sep38.rules.js';

const anchorTimeoutMs = 2_000;
/** Discovery, fee and FX have their own timeouts; this one keeps their sum close to the timeout of one call. */
const overallTimeoutMs = 2_200;

/** A question to one anchor. */
export interface AnchorQuestion {
  corridor: Corridor;
  anchorId: string;
  asked: AskedFor;
  /** The delivery method that is asked for; undefined: any. */
  deliveryMethod: string | undefined;
  /** Whether an intent needs the answer, which has calls of its own. */
  forIntent: boolean;
}

/** Asks one anchor once. Never rejects for a failure of the anchor. */
export type AskAnchor = (question: AnchorQuestion) => Promise<QuoteResult>;

export function createAskAnchor(deps: {
  directory: Pick<AnchorDirectory, 'anchor' | 'endpointsOf' | 'tokenFor' | 'noteUnreadable'>;
  outbound: Outbound;
  callAnchor: CallAnchor<QuoteResult>;
  fees: FeeInfo;
  fx: FxReference;
  noteOutcome: NoteOutcome;
  clock: Clock;
}): AskAnchor {
  const { directory, clock } = deps;

  /** The question with the delivery method as the anchor spells it; undefined if the anchor does not offer it. */
  function offered(
    question: AnchorQuestion,
  ): { question: AnchorQuestion; methods: readonly string[] } | undefined {
    const { anchorId, corridor, deliveryMethod } = question;
    const served = directory.anchor(anchorId)?.corridors.find(({ id }) => id === corridor.id);
    if (served === undefined) return undefined;
    const methods = served.deliveryMethods;
    if (deliveryMethod === undefined) return { question, methods };
    const own = findDeliveryMethod(methods, deliveryMethod);
    return own === undefined ? undefined : { question: { ...question, deliveryMethod: own }, methods };
  }

  async function ask(question: AnchorQuestion, methods: readonly string[]): Promise<QuoteResult> {
    const { anchorId, deliveryMethod } = question;
    // If there is only one method, the quote is for that one, even if the request names none.
    const label = deliveryMethod ?? (methods.length === 1 ? methods[0] : undefined) ?? null;
    const askedAtMs = clock();
    const endpoints = await directory.endpointsOf(anchorId);
    if (endpoints.quoteServer !== null) {
      const timeoutMs = anchorTimeoutMs - (clock() - askedAtMs);
      if (timeoutMs < 1) return { reason: 'timeout' };
      const purpose = question.forIntent ? 'intent' : isReferenceQuestion(question) ? 'reference' : 'other';
      const call = await deps.callAnchor(anchorId, purpose, () =>
        fetchPrice(question, endpoints, label, timeoutMs),
      );
      const result = 'value' in call ? call.value : call;
      const elsewhere = endpoints.transferServerSep24 !== null || endpoints.transferServerSep6 !== null;
      // The quote server does not know this pair, but the anchor may still publish a fee for it.
      if (!('reason' in result && result.reason === 'not_served' && elsewhere)) return result;
    }
    return estimate(question, endpoints, label);
  }

  function malformed(anchorId: string, what: string): CallResult<QuoteResult> {
    directory.noteUnreadable(anchorId, 'price', what);
    return { value: { reason: 'malformed' }, failed: true };
  }

  async function fetchPrice(
    { anchorId, corridor, asked, deliveryMethod }: AnchorQuestion,
    endpoints: AnchorEndpoints,
    label: string | null,
    timeoutMs: number,
  ): Promise<CallResult<QuoteResult>> {
    const context = contextFor(endpoints);
    const url = priceUrl(endpoints.quoteServer ?? '', corridor, { ...asked, deliveryMethod, context });
    const token = directory.tokenFor(anchorId, url);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    try {
      const answer = await deps.outbound({
        url,
        headers: { accept: 'application/json', ...authorization },
        timeoutMs,
        maxBytes: maxPriceBytes,
        expects: 'json',
      });
      if (answer.status !== 200) return refusal(answer, asked);
      const price = readPrice(answer.json, corridor, context);
      if (isRefused(price)) return malformed(anchorId, price.refused);
      const offer = offerFromSep38(corridor, { ...asked, deliveryMethod: label }, price);
      if (offer.ok) return { value: { offer: offer.value }, failed: false };
      if (offer.reason === 'malformed') return malformed(anchorId, 'buy_amount rounds to nothing');
      return { value: { reason: offer.reason }, failed: false };
    } catch (error) {
      const { reason, message } = toUpstreamFault(error);
      if (reason === 'malformed') return malformed(anchorId, message);
      return { value: { reason }, failed: reason !== 'blocked' };
    }
  }

  async function estimate(
    { anchorId, corridor, asked }: AnchorQuestion,
    endpoints: AnchorEndpoints,
    label: string | null,
  ): Promise<QuoteResult> {
    const [schedule, rate] = await Promise.all([
      deps.fees.scheduleOf(endpoints, corridor.sellAsset).catch((error: unknown) => {
        const fault = toUpstreamFault(error);
        if (fault.isSpelling) directory.noteUnreadable(anchorId, 'info', fault.message);
        throw fault;
      }),
      deps.fx.rateOf({ code: corridor.sellCode, currency: corridor.currency }),
    ]);
    if ('missing' in rate) return { reason: 'no_fx' };
    const offer = offerFromFee(corridor, { ...asked, deliveryMethod: label }, schedule, rate);
    return offer.ok ? { offer: offer.value } : { reason: offer.reason };
  }

  /** A request that is given up continues in the background and fills its caches. */
  async function askInTime(question: AnchorQuestion, methods: readonly string[]): Promise<QuoteResult> {
    const late = () => new UpstreamFault('timeout', `no answer in ${overallTimeoutMs} ms`);
    try {
      return await withTimeout(overallTimeoutMs, ask(question, methods), late);
    } catch (error) {
      if (error instanceof UpstreamFault) return { reason: error.reason };
      throw error;
    }
  }

  return async (question) => {
    const offer = offered(question);
    // The anchor is not asked, so this says nothing about it.
    if (offer === undefined) return { reason: 'not_served' };
    const result = await askInTime(offer.question, offer.methods);
    const { anchorId, corridor } = question;
    const isReference = isReferenceQuestion(question);
    deps.noteOutcome({ anchorId, corridorId: corridor.id, isReference }, result);
    return result;
  };
}

function refusal({ status, headers, body }: OutboundAnswer, asked: AskedFor): CallResult<QuoteResult> {
  const reason = reasonOfStatus(status, body.toString('utf8', 0, 500), asked);
  const retryAfter = headers['retry-after'];
  const pauses = status === 429 || (status === 503 && retryAfter !== undefined);
  return {
    value: { reason },
    failed: reason === 'error',
    ...(pauses ? { pause: { retryAfter } } : {}),
  };
}
