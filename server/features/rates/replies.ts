import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import { type Cache, createCache } from '../../cache/cache.js';
import type { Clock } from '../../ports.js';
import type { Corridor, Fleet } from '../anchors/fleet-file.rules.js';
import type { Caller } from './anchor-gate.js';
import type { Reply } from './answer.rules.js';
import { type AskedFor, isReferenceQuestion, keyOfAsked } from './question.rules.js';
import type { QuoteSource } from './quote-source.js';

export const freshMs = 15_000;
export const staleMs = 60_000;

/** How long an anchor is not asked again after a reply without a quote. Its own decisions last as long as a quote. */
const reasonFreshMs: Readonly<Record<UnavailableReason, number>> = {
  refused_amount: freshMs,
  receive_unsupported: freshMs,
  not_served: freshMs,
  unauthorized: freshMs,
  blocked: freshMs,
  timeout: 5_000,
  unreachable: 5_000,
  malformed: 5_000,
  error: 5_000,
  no_fx: 5_000,
  busy: 1_000,
  circuit_open: 1_000,
};

/** The instant until which a reply may be used without asking again. */
export function replyFreshUntil(reply: Reply): number {
  return reply.at + ('reason' in reply.result ? reasonFreshMs[reply.result.reason] : freshMs);
}

/** A question to one anchor. */
export interface AnchorQuestion {
  corridor: Corridor;
  anchor: Fleet['anchors'][number];
  asked: AskedFor;
  /** The delivery method that is asked for; undefined: any. */
  deliveryMethod: string | undefined;
  /** The client that registers the intent, if the question is for one. Both kinds of questions share replies. */
  intentClient?: string;
}

/** The replies of single anchors. However many requests wait for the same reply, the anchor is called once. */
export type Replies = Cache<AnchorQuestion, Reply>;

export function createReplies(deps: {
  source: QuoteSource;
  version: () => number;
  maxBytes: number;
  clock: Clock;
}): Replies {
  const { clock, maxBytes } = deps;

  async function ask(question: AnchorQuestion, previous: Reply | undefined): Promise<Reply> {
    const { corridor, anchor, asked, deliveryMethod } = question;
    const quoted = previous !== undefined && 'offer' in previous.result;
    const caller = callerOf(question, previous);
    const result = await deps.source({ caller, corridor, asked, deliveryMethod });
    // Our own call budget says nothing about the anchor, so its last quote is used while it is recent.
    const busy = 'reason' in result && result.reason === 'busy';
    if (busy && quoted && isRecent(previous.at, clock())) return previous;
    const { id, name, simulated } = anchor;
    const { priority } = caller;
    return { anchorId: id, anchorName: name, simulated, result, at: clock(), priority };
  }

  return createCache<AnchorQuestion, Reply>({
    load: ask,
    keyOf: ({ corridor, anchor, asked, deliveryMethod }) =>
      [corridor.id, anchor.id, keyOfAsked(asked), deliveryMethod ?? ''].join('|'),
    // Callers name the greatest age that they accept, so a reply is never served stale: an answer made from several replies
    // is stale if its oldest quote is. Quotes are kept for longer, for the band of the corridor.
    lifetimeOf: (reply) => {
      const freshUntil = replyFreshUntil(reply);
      return {
        asOf: reply.at,
        freshUntil,
        staleUntil: 'offer' in reply.result ? reply.at + staleMs : freshUntil,
      };
    },
    versionOf: deps.version,
    maxBytes,
    maxEntryBytes: 64 * 1024,
    clock,
  });
}

function callerOf(question: AnchorQuestion, previous: Reply | undefined): Caller {
  const anchorId = question.anchor.id;
  const client = question.intentClient;
  // Intents use their own share only once the share of reference amounts, which is larger, is used up.
  const isRefused = previous !== undefined && isBusy(previous) && previous.priority === 'reference';
  if (isReferenceQuestion(question) && (client === undefined || !isRefused))
    return { anchorId, priority: 'reference' };
  if (client !== undefined) return { anchorId, priority: 'intent', client };
  return { anchorId, priority: previous !== undefined && 'offer' in previous.result ? 'known' : 'new' };
}

/** Whether a quote of then may still be used. One from the future was made before a clock was set back: its age is unknown. */
export function isRecent(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs < staleMs;
}

function isBusy({ result }: Reply): boolean {
  return 'reason' in result && result.reason === 'busy';
}

/** The anchor's reply for an intent. Asks again if the cached reply is `busy` because the share of others was used up. */
export async function replyForIntent(
  replies: Replies,
  question: AnchorQuestion & { intentClient: string },
): Promise<Reply> {
  const reply = await replies.get(question, { maxAgeMs: freshMs });
  return isBusy(reply) && reply.priority !== 'intent' ? replies.refresh(question) : reply;
}
