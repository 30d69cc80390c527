import { isRefused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { unavailableReasons } from '../../../contract/schemas/rates.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { createOutageLog } from '../../logger.js';
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.js';
import { maxPriceBytes, toUpstreamFault, UpstreamFault } from '../../outbound/upstream-fault.js';
import type { Clock, Logger } from '../../ports.js';
import { withTimeout } from '../../timing.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CallAnchor, CallResult } from './anchor-calls.js';
import { offerFromFee } from './estimate.rules.js';
import type { FeeInfo } from './fee-info.js';
import type { FxReference } from './fx-reference.js';
import type { QuoteResult } from './offer.rules.js';
import { type AnchorQuestion, type AskedFor, isReferenceQuestion } from './question.rules.js';
import { contextFor, offerFromPrice, priceUrl, reasonOfStatus } from './sep38.rules.js';

const timeoutMs = 2_000;
/** Discovery, fee and FX have their own timeouts; this one keeps their sum close to the timeout of one call. */
const overallTimeoutMs = 2_200;

/** Counts how asking each anchor ended: with a price of its own, with an estimate, or with the reason for neither. */
export interface QuoteMeter {
  /** Starts every counter of this anchor at 0. */
  expects(anchorId: string, outcomes: readonly string[]): void;
  asked(anchorId: string, outcome: string): void;
}

/** Asks one anchor once. Never rejects for a failure of the anchor. */
export type AskAnchor = (question: AnchorQuestion) => Promise<QuoteResult>;

/** The question as the anchor is asked it. */
interface Asking extends AnchorQuestion {
  endpoints: AnchorEndpoints;
  /** The method of the quote. An anchor with only one quotes that one, even where none is asked for. */
  label: string | null;
}

export interface AskAnchorDeps {
  directory: Pick<AnchorDirectory, 'anchors' | 'endpointsOf' | 'tokenFor' | 'noteUnreadable'>;
  /** The connector to the anchors' addresses, which come from others. */
  outbound: Outbound;
  callAnchor: CallAnchor;
  fees: FeeInfo;
  fx: Pick<FxReference, 'rateOf'>;
  meter: QuoteMeter;
  clock: Clock;
  logger: Logger;
}

export function createAskAnchor(deps: AskAnchorDeps): AskAnchor {
  const { directory } = deps;
  const noteOutcome = createNoteOutcome(deps);

  async function ask(question: AnchorQuestion, label: string | null): Promise<QuoteResult> {
    const { anchor, forIntent } = question;
    const endpoints = await directory.endpointsOf(anchor.id);
    const asking = { ...question, endpoints, label };
    if (endpoints.quoteServer !== null) {
      const purpose = forIntent ? 'intent' : isReferenceQuestion(question) ? 'reference' : 'other';
      const result = await deps.callAnchor(anchor.id, purpose, () => fetchPrice(asking));
      const elsewhere = endpoints.transferServerSep24 !== null || endpoints.transferServerSep6 !== null;
      // The quote server does not know this pair, but the anchor may still publish a fee for it.
      if (!('reason' in result && result.reason === 'not_served' && elsewhere)) return result;
    }
    return estimate(asking);
  }

  function malformed(anchorId: string, what: string): CallResult {
    directory.noteUnreadable(anchorId, 'price', what);
    return { value: { reason: 'malformed' }, failed: true };
  }

  async function fetchPrice(asking: Asking): Promise<CallResult> {
    const { anchor, corridor, asked, deliveryMethod, endpoints, label } = asking;
    const context = contextFor(endpoints);
    const url = priceUrl(endpoints.quoteServer ?? '', corridor, { ...asked, deliveryMethod, context });
    const token = directory.tokenFor(anchor.id, url);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { accept: 'application/json', ...authorization };
    try {
      const answer = await deps.outbound({
        url,
        headers,
        timeoutMs,
        maxBytes: maxPriceBytes,
        expects: 'json',
      });
      if (answer.status !== 200) return refusal(answer, asked);
      const value = offerFromPrice(answer.json, corridor, { ...asked, deliveryMethod: label }, context);
      return isRefused(value) ? malformed(anchor.id, value.refused) : { value, failed: false };
    } catch (error) {
      const { reason, message } = toUpstreamFault(error);
      if (reason === 'malformed') return malformed(anchor.id, message);
      return { value: { reason }, failed: reason !== 'blocked' };
    }
  }

  async function estimate({ anchor, corridor, asked, endpoints, label }: Asking): Promise<QuoteResult> {
    const [schedule, rate] = await Promise.all([
      deps.fees.scheduleOf(endpoints, corridor.sellAsset).catch((error: unknown) => {
        const fault = toUpstreamFault(error);
        if (fault.isSpelling) directory.noteUnreadable(anchor.id, 'info', fault.message);
        throw fault;
      }),
      deps.fx.rateOf(corridor),
    ]);
    if ('missing' in rate) return { reason: 'no_fx' };
    return offerFromFee(corridor, { ...asked, deliveryMethod: label }, schedule, rate);
  }

  /** A request that is given up continues in the background and fills its caches. */
  async function askInTime(question: AnchorQuestion, label: string | null): Promise<QuoteResult> {
    const late = () => new UpstreamFault('timeout', `no answer in ${overallTimeoutMs} ms`);
    try {
      return await withTimeout(overallTimeoutMs, ask(question, label), late);
    } catch (error) {
      if (error instanceof UpstreamFault) return { reason: error.reason };
      throw error;
    }
  }

  return async (question) => {
    const { anchor, corridor, deliveryMethod: wanted } = question;
    const methods = anchor.corridors.find(({ id }) => id === corridor.id)?.deliveryMethods ?? [];
    // As the anchor spells it.
    const deliveryMethod = wanted === undefined ? undefined : findDeliveryMethod(methods, wanted);
    // The anchor is not asked, so this says nothing about it.
    if (wanted !== undefined && deliveryMethod === undefined) return { reason: 'not_served' };
    const label = deliveryMethod ?? (methods.length === 1 ? methods[0] : undefined) ?? null;
    const result = await askInTime({ ...question, deliveryMethod }, label);
    noteOutcome(question, result);
    return result;
  };
}

function refusal({ status, headers, body }: OutboundAnswer, asked: AskedFor): CallResult {
  const reason = reasonOfStatus(status, body.toString('utf8', 0, 500), asked);
  const retryAfter = headers['retry-after'];
  const pauses = status === 429 || (status === 503 && retryAfter !== undefined);
  const pause = pauses ? { pause: { retryAfter } } : {};
  return { value: { reason }, failed: reason === 'error', ...pause };
}

/**
 * Counts every outcome. Logs each change once per anchor and corridor, and only for the reference amount: that is asked for
 * regularly in the background, and clients cannot cause log lines by asking for odd amounts.
 */
function createNoteOutcome(deps: Pick<AskAnchorDeps, 'directory' | 'meter' | 'clock' | 'logger'>) {
  const outcomes = ['quoted', 'estimated', ...Object.keys(unavailableReasons)];
  for (const { id } of deps.directory.anchors()) deps.meter.expects(id, outcomes);
  const outages = createOutageLog({
    ...deps,
    says: { failed: 'an anchor has no quote for the reference amount', worked: 'the anchor quotes again' },
  });

  return (question: AnchorQuestion, result: QuoteResult): void => {
    const about = { anchorId: question.anchor.id, corridor: question.corridor.id };
    const reason = 'reason' in result ? result.reason : undefined;
    const quoted = 'offer' in result && result.offer.tier === 'anchor' ? 'quoted' : 'estimated';
    deps.meter.asked(about.anchorId, reason ?? quoted);
    // Our own budget of calls, and our own pause after failures, say nothing new about the anchor.
    if (!isReferenceQuestion(question) || reason === 'busy' || reason === 'circuit_open') return;
    const key = `${about.anchorId} ${about.corridor}`;
    if (reason === undefined) outages.worked(key, about);
    else outages.failed(key, { ...about, reason });
  };
}
