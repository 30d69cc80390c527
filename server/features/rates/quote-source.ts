import { maxPriceBytes } from '../../anchor-answers.rules.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import type { Outbound } from '../../outbound/outbound.js';
import { toUpstreamFault, UpstreamFault } from '../../outbound/upstream-fault.js';
import type { Clock } from '../../ports.js';
import { withTimeout } from '../../timing.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { type AnchorGate, type Caller, type GatedCall, intentPatienceMs } from './anchor-gate.js';
import type { QuoteResult } from './answer.rules.js';
import type { FeeInfo } from './fee-info.js';
import type { FxReference } from './fx-reference.js';
import { type AskedFor, isReferenceQuestion } from './question.rules.js';
import { offerFromFee, offerFromSep38 } from './quote.rules.js';
import type { QuoteWatch } from './quote-watch.js';
import { contextFor, priceUrl, readPrice, reasonOfStatus } from './sep38.rules.js';

const anchorTimeoutMs = 2_000;
/** Discovery, fee and FX have their own timeouts; this one keeps their sum close to the timeout of one call. */
const overallTimeoutMs = 2_200;

export interface Question {
  /** The anchor that is asked, and the purpose. */
  caller: Caller;
  corridor: Corridor;
  asked: AskedFor;
  /** The delivery method that is asked for; undefined: any. */
  deliveryMethod: string | undefined;
}

/** Asks one anchor once. Never rejects for a failure of the anchor. */
export type QuoteSource = (question: Question) => Promise<QuoteResult>;

export function createQuoteSource(deps: {
  directory: Pick<AnchorDirectory, 'anchor' | 'endpointsOf' | 'tokenFor'>;
  outbound: Outbound;
  gate: AnchorGate;
  fees: FeeInfo;
  fx: FxReference;
  watch: QuoteWatch;
  clock: Clock;
}): QuoteSource {
  const { directory, gate, clock } = deps;

  /** The question with the delivery method as the anchor spells it; undefined if the anchor does not offer it. */
  function offered(question: Question): { question: Question; methods: readonly string[] } | undefined {
    const { caller, corridor, deliveryMethod } = question;
    const served = directory.anchor(caller.anchorId)?.corridors.find(({ id }) => id === corridor.id);
    if (served === undefined) return undefined;
    const methods = served.deliveryMethods;
    if (deliveryMethod === undefined) return { question, methods };
    const own = findDeliveryMethod(methods, deliveryMethod);
    return own === undefined ? undefined : { question: { ...question, deliveryMethod: own }, methods };
  }

  async function ask(question: Question, methods: readonly string[]): Promise<QuoteResult> {
    const { deliveryMethod } = question;
    const { anchorId } = question.caller;
    // If there is only one method, the quote is for that one, even if the request names none.
    const label = deliveryMethod ?? (methods.length === 1 ? methods[0] : undefined) ?? null;
    const askedAtMs = clock();
    const endpoints = await directory.endpointsOf(anchorId);
    if (endpoints.quoteServer !== null) {
      const reply = await askPrice(question, endpoints, label, askedAtMs);
      const elsewhere = endpoints.transferServerSep24 !== null || endpoints.transferServerSep6 !== null;
      // The quote server does not know this pair, but the anchor may still publish a fee for it.
      if (!('reason' in reply && reply.reason === 'not_served' && elsewhere)) return reply;
    }
    return estimate(question, endpoints, label);
  }

  async function askPrice(
    question: Question,
    endpoints: AnchorEndpoints,
    label: string | null,
    askedAtMs: number,
  ): Promise<QuoteResult> {
    const timeoutMs = anchorTimeoutMs - (clock() - askedAtMs);
    if (timeoutMs < 1) return { reason: 'timeout' };
    const outcome = await gate.run(question.caller, () => fetchPrice(question, endpoints, label, timeoutMs));
    return outcome.made ? outcome.value : { reason: outcome.reason };
  }

  async function fetchPrice(
    { caller, corridor, asked, deliveryMethod }: Question,
    endpoints: AnchorEndpoints,
    label: string | null,
    timeoutMs: number,
  ): Promise<GatedCall<QuoteResult>> {
    const context = contextFor(endpoints);
    const url = priceUrl(endpoints.quoteServer ?? '', corridor, { ...asked, deliveryMethod, context });
    const token = directory.tokenFor(caller.anchorId, url);
    try {
      const answer = await deps.outbound({
        url,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        timeoutMs,
        maxBytes: maxPriceBytes,
        expects: 'json',
      });
      if (answer.status !== 200) {
        const reason = reasonOfStatus(answer.status, answer.body.toString('utf8', 0, 500), asked);
        if (reason === 'busy') {
          return {
            value: { reason },
            health: 'unknown',
            pause: { retryAfter: answer.headers['retry-after'] },
          };
        }
        return { value: { reason }, health: reason === 'error' ? 'failing' : 'well' };
      }
      const price = readPrice(answer.json, corridor, context);
      if (price === undefined) return { value: { reason: 'malformed' }, health: 'failing' };
      const offer = offerFromSep38(corridor, { ...asked, deliveryMethod: label }, price);
      if (!offer.ok) {
        const health = offer.reason === 'malformed' ? 'failing' : 'well';
        return { value: { reason: offer.reason }, health };
      }
      return { value: { offer: offer.value }, health: 'well' };
    } catch (error) {
      const { reason } = toUpstreamFault(error);
      return { value: { reason }, health: reason === 'blocked' ? 'unknown' : 'failing' };
    }
  }

  async function estimate(
    { corridor, asked }: Question,
    endpoints: AnchorEndpoints,
    label: string | null,
  ): Promise<QuoteResult> {
    const asset = { code: corridor.sellCode, currency: corridor.currency };
    const [schedule, rate] = await Promise.all([
      deps.fees.scheduleOf(endpoints, corridor.sellCode),
      deps.fx.rateOf(asset),
    ]);
    if ('missing' in rate) return { reason: 'no_fx' };
    const offer = offerFromFee(corridor, { ...asked, deliveryMethod: label }, schedule, rate);
    return offer.ok ? { offer: offer.value } : { reason: offer.reason };
  }

  async function askInTime(question: Question, methods: readonly string[]): Promise<QuoteResult> {
    const timeoutMs = overallTimeoutMs + (question.caller.priority === 'intent' ? intentPatienceMs : 0);
    try {
      return await withTimeout(timeoutMs, ask(question, methods), () => tooLate(timeoutMs));
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
    const isReference = isReferenceQuestion(question);
    const { anchorId } = question.caller;
    deps.watch.saw({ anchorId, corridorId: question.corridor.id, isReference }, result);
    return result;
  };
}

/** The abandoned request continues in the background and fills its caches. */
function tooLate(timeoutMs: number): UpstreamFault {
  return new UpstreamFault('timeout', `no answer in ${timeoutMs} ms`);
}
