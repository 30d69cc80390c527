import type { ClientSession, Connection } from 'mongoose';
import { bulkCollection, collectionOf, typedSchema } from '../../mongo/models.js';
import type { AnchorCards } from './card.rules.js';
import type { Evidence } from './what-counts.rules.js';

/** What the last refresh left. */
export interface CardState {
  /** The run whose cards are in force, counted by the tokens of the lease; null before the first. */
  run: number | null;
  computedAt: Date | null;
  /** Since when the cards in force have not been computed again because the ledger is away. */
  standsStillSince: Date | null;
  /** By which evidence the days are counted. */
  evidence: Evidence | null;
  /** By corridor; of those that have left the fleet the last one that was known. */
  speedTargets: Record<string, number>;
}

type CardDocument = AnchorCards & { run: number };

const _id = 'cards';
const noState: CardState = {
  run: null,
  computedAt: null,
  standsStillSince: null,
  evidence: null,
  speedTargets: {},
};

const stateSchema = typedSchema<CardState & { _id: string }>('reputation_state');

const cardSchema = typedSchema<CardDocument>('reputation_cards');

export type CardStore = ReturnType<typeof createCardStore>;

export function createCardStore(connection: Connection) {
  const states = collectionOf(connection, 'ReputationState', stateSchema);
  const all = collectionOf(connection, 'ReputationCards', cardSchema);
  const inTransactions = bulkCollection<CardDocument>(connection, all.collectionName);

  async function readState(): Promise<CardState> {
    return { ...noState, ...(await states.findOne({ _id })) };
  }

  return {
    readState,

    async changeState(session: ClientSession, change: Partial<CardState>): Promise<void> {
      await states.updateOne({ _id }, { $set: change }, { session, upsert: true });
    },

    /** Replaces the cards of every anchor. Call it in the transaction that changes the state. */
    async replaceCards(session: ClientSession, run: number, cards: readonly AnchorCards[]): Promise<void> {
      const writes = cards.map((card) => ({
        replaceOne: { filter: { _id: card._id }, replacement: { ...card, run }, upsert: true },
      }));
      if (writes.length > 0) await inTransactions.bulkWrite(writes, { session, ordered: false });
    },

    /** The cards in force, by anchor, and their state. */
    async readCards(): Promise<{ state: CardState; cards: AnchorCards[] }> {
      for (;;) {
        const state = await readState();
        if (state.run === null) return { state, cards: [] };
        const cards = await all.find({ run: state.run }).sort({ _id: 1 }).toArray();
        // A refresh that ended in between has replaced some or all of them.
        if ((await readState()).run === state.run) return { state, cards };
      }
    },
  };
}
