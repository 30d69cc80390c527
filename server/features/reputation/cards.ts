import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { createCache } from '../../cache/cache.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Clock } from '../../ports.js';
import type { QuoteReputation } from '../rates/worth.rules.js';
import type { AnchorCards } from './card.rules.js';
import type { CardState, CardStore } from './card-store.js';

/** The cards in force. They are few and change once a minute, so every instance holds them in memory. */
export interface HeldCards {
  state: CardState;
  /** By anchor. */
  anchors: ReadonlyMap<string, AnchorCards>;
}

const freshMs = 1_000;

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

export type Cards = ReturnType<typeof createCards>;

export function createCards({ store, clock }: { store: CardStore; clock: Clock }) {
  const held = createCache<void, HeldCards>({
    async load(_question, lastKnown) {
      try {
        const state = await store.readState();
        if (lastKnown !== undefined && isSame(state, lastKnown.state)) return lastKnown;
        const read = await store.readCards();
        return { state: read.state, anchors: new Map(read.cards.map((cards) => [cards._id, cards])) };
      } catch (error) {
        if (lastKnown === undefined || !isMongoUnavailable(error)) throw error;
        return lastKnown;
      }
    },
    freshMs,
    staleMs: Number.POSITIVE_INFINITY,
    clock,
  });

  /** At most a second old; the last known ones while the database is unavailable. */
  const current = () => held.get(undefined, { maxAgeMs: freshMs });

  return {
    current,
    /** Reads them again, after a refresh of this instance. */
    reload: () => held.refresh(),
    /** The cards that are published, by anchor and corridor, and of when they are. */
    async publishedCards() {
      const { state, anchors } = await current();
      const { computedAt, standsStillSince } = state;
      return { cards: [...anchors.values()].flatMap(usualCards), computedAt, standsStillSince };
    },
    /** The record that quotes contain, from what is held: at most seconds old. */
    reputationOf(anchorId: string, corridor: string): QuoteReputation {
      const cards = held.peek()?.value.anchors.get(anchorId);
      const card = cards && usualCards(cards).find((each) => each.corridor === corridor);
      if (card === undefined) return noRecord;
      const { score, state, outcomes, fillRate, p50SettleSeconds, p95SettleSeconds, meanShortfall } = card;
      return { score, state, outcomes, fillRate, p50SettleSeconds, p95SettleSeconds, meanShortfall };
    },
  };
}

/** Those of the window of published cards and of quotes. */
function usualCards({ windows }: AnchorCards): ScoreCard[] {
  const found = windows.find(({ window }) => window === 30);
  return found?.cards.map(({ card }) => card) ?? [];
}

function isSame(a: CardState, b: CardState): boolean {
  return a.run === b.run && a.standsStillSince?.getTime() === b.standsStillSince?.getTime();
}
