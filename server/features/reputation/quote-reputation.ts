import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { createCache } from '../../cache/cache.js';
import type { Clock } from '../../ports.js';
import type { QuoteReputation } from '../rates/worth.rules.js';
import type { CardReader } from './card-reader.js';
import type { LeadingFormula } from './formula-setting.js';

/** The cards of window 30 by the leading formula, in memory because quotes need them thousands of times per second. */
export interface QuoteReputations {
  of(anchorId: string, corridorId: string): QuoteReputation;
  /** Reads the cards if the run in force is not the one held. Run every few seconds and after a refresh of this instance. */
  load(): Promise<void>;
}

/** The record of an anchor that nobody has used yet. */
export const noRecord: QuoteReputation = {
  score: null,
  state: 'insufficient_data',
  outcomes: 0,
  fillRate: null,
  p50SettleSeconds: null,
  p95SettleSeconds: null,
  meanShortfall: null,
};

interface HeldRun {
  formula: Formula | null;
  run: number | null;
  /** The cards by anchor and corridor. */
  cards: ReadonlyMap<string, QuoteReputation>;
}

export function createQuoteReputations({
  readers,
  leading,
  clock,
}: {
  readers: Record<Formula, CardReader>;
  leading: LeadingFormula;
  clock: Clock;
}): QuoteReputations {
  // The held cards are served until `load` has read a newer run; nothing else reads one.
  const held = createCache<void, HeldRun>({
    async load(_question, before = { formula: null, run: null, cards: new Map() }) {
      const formula = await leading();
      const reader = readers[formula];
      const { current } = await reader.runs();
      if (current === null || (formula === before.formula && current.run === before.run)) return before;
      const cards = new Map<string, QuoteReputation>();
      for await (const card of reader.listEveryCard(30)) cards.set(keyOf(card), quoteReputation(card));
      return { formula, run: current.run, cards };
    },
    freshMs: Number.POSITIVE_INFINITY,
    clock,
  });

  return {
    of: (anchorId, corridor) => held.peek()?.value.cards.get(keyOf({ anchorId, corridor })) ?? noRecord,
    async load() {
      await held.refresh();
    },
  };
}

function keyOf({ anchorId, corridor }: Pick<ScoreCard, 'anchorId' | 'corridor'>): string {
  return `${anchorId} ${corridor}`;
}

function quoteReputation(card: ScoreCard): QuoteReputation {
  const { score, state, outcomes, fillRate, p50SettleSeconds, p95SettleSeconds, meanShortfall } = card;
  return { score, state, outcomes, fillRate, p50SettleSeconds, p95SettleSeconds, meanShortfall };
}
