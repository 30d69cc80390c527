import { type Cache, createCache } from '../../cache/cache.js';
import type { Clock } from '../../ports.js';
import { freshMs, isQuoted, type Reply, reasonFreshMs } from './answer.rules.js';
import type { AskAnchor } from './ask-anchor.js';
import { type AnchorQuestion, keyOf } from './question.rules.js';

const staleMs = 60_000;
/** Some 1,500 bytes each. */
const mostReplies = 20_000;

/**
 * The replies of single anchors, by corridor, amount and delivery method: fresh for 15 s, stale for 60 s. However many
 * requests wait for the same reply, the anchor is called once.
 */
export type Replies = Cache<AnchorQuestion, Reply>;

export function createReplies(deps: { askAnchor: AskAnchor; clock: Clock }): Replies {
  return createCache<AnchorQuestion, Reply>({
    async load(question, previous) {
      const { id, name, simulated } = question.anchor;
      const result = await deps.askAnchor(question);
      const lastQuote = previous === undefined || isQuoted(previous) ? previous : previous.lastQuote;
      const kept = 'offer' in result || lastQuote === undefined ? {} : { lastQuote };
      return { anchorId: id, anchorName: name, simulated, result, at: deps.clock(), ...kept };
    },
    keyOf: (question) => `${question.anchor.id}|${keyOf(question)}`,
    freshMs: ({ result }) => ('reason' in result ? reasonFreshMs[result.reason] : freshMs),
    staleMs,
    max: mostReplies,
    clock: deps.clock,
  });
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
