import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { QuoteReputation } from '../rates/worth.rules.js';
import type { AnchorCards, CardWindow } from './card.rules.js';
import type { CardState, CardStore } from './card-store.js';

/** The cards in force. They are few and change once a minute, so every instance holds them in memory. */
export interface HeldCards {
  state: CardState;
  /** By anchor. */
  anchors: ReadonlyMap<string, AnchorCards>;
}

/** The window of published cards and of quotes. */
const usualWindow = 30;

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

export function createCards(store: CardStore) {
  let held: HeldCards | undefined;

  async function current(): Promise<HeldCards> {
    try {
      const state = await store.readState();
      if (held !== undefined && isSame(state, held.state)) return held;
      const read = await store.readCards();
      held = { state: read.state, anchors: new Map(read.cards.map((cards) => [cards._id, cards])) };
    } catch (error) {
      if (held === undefined || !isMongoUnavailable(error)) throw error;
    }
    return held;
  }

  return {
    /** The last known ones while the database is unavailable. */
    current,
    /** The record that quotes contain, from what is held: at most seconds old. */
    reputationOf(anchorId: string, corridor: string): QuoteReputation {
      const cards = held?.anchors.get(anchorId);
      const card = cards && cardsOf(cards, usualWindow).find((each) => each.corridor === corridor);
      if (card === undefined) return noRecord;
      const { score, state, outcomes, fillRate, p50SettleSeconds, p95SettleSeconds, meanShortfall } = card;
      return { score, state, outcomes, fillRate, p50SettleSeconds, p95SettleSeconds, meanShortfall };
    },
  };
}

/** The cards that are published, by anchor and corridor. */
export function publishedCards({ anchors }: HeldCards): ScoreCard[] {
  return [...anchors.values()].flatMap((cards) => cardsOf(cards, usualWindow));
}

function cardsOf({ windows }: AnchorCards, wanted: CardWindow): ScoreCard[] {
  const found = windows.find(({ window }) => window === wanted);
  return found?.cards.map(({ card }) => card) ?? [];
}

function isSame(a: CardState, b: CardState): boolean {
  return a.run === b.run && a.standsStillSince?.getTime() === b.standsStillSince?.getTime();
}
