import type { UnavailableReason } from '../../../contract/schemas/rates.js';
import { type Cache, createCache } from '../../cache/cache.js';
import type { Clock } from '../../ports.js';
import type { Fleet } from '../anchors/fleet-file.rules.js';
import type { Quoted, Reply } from './answer.rules.js';
import type { AnchorQuestion, AskAnchor } from './ask-anchor.js';
import { keyOfAsked } from './question.rules.js';

export const freshMs = 15_000;
export const staleMs = 60_000;
/** Some 1,500 bytes each. */
const mostReplies = 20_000;

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

export interface ReplyQuestion extends Omit<AnchorQuestion, 'anchorId'> {
  anchor: Fleet['anchors'][number];
}

/**
 * The replies of single anchors, by corridor, amount and delivery method: fresh for 15 s, stale for 60 s. However many
 * requests wait for the same reply, the anchor is called once.
 */
export type Replies = Cache<ReplyQuestion, Reply>;

export function createReplies(deps: { askAnchor: AskAnchor; clock: Clock }): Replies {
  return createCache<ReplyQuestion, Reply>({
    async load({ anchor, ...question }, previous) {
      const { id, name, simulated } = anchor;
      const result = await deps.askAnchor({ ...question, anchorId: id });
      const lastQuote = previous === undefined || isQuoted(previous) ? previous : previous.lastQuote;
      const quoteBefore = lastQuote === undefined ? {} : { lastQuote };
      const reply = { anchorId: id, anchorName: name, simulated, result, at: deps.clock() };
      return 'offer' in result ? reply : { ...reply, ...quoteBefore };
    },
    keyOf: ({ corridor, anchor, asked, deliveryMethod }) =>
      [corridor.id, anchor.id, keyOfAsked(asked), deliveryMethod ?? ''].join('|'),
    freshMs: ({ result }) => ('reason' in result ? reasonFreshMs[result.reason] : freshMs),
    staleMs,
    max: mostReplies,
    clock: deps.clock,
  });
}

export function isQuoted(reply: Reply): reply is Quoted {
  return 'offer' in reply.result;
}

/** Whether our calls to the anchor are used up, or it asked for a pause. */
export function isBusy({ result }: Reply): boolean {
  return 'reason' in result && result.reason === 'busy';
}

/** The anchor's last quote in place of a reply without one, where it is less than a minute old. */
export function orLastQuote(reply: Reply, nowMs: number): Reply {
  const { lastQuote } = reply;
  const ageMs = lastQuote === undefined ? staleMs : nowMs - lastQuote.at;
  return lastQuote !== undefined && ageMs >= 0 && ageMs < staleMs ? lastQuote : reply;
}
