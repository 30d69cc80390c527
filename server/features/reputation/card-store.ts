import { type Connection, Schema } from 'mongoose';
import type { PublishedCard } from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { defineModel } from '../../mongo/models.js';
import { allCorridors, type RankedCard } from './ranking.rules.js';
import { idsBelow } from './rollup-store.js';

/** The cards of the last runs of the refresh by one formula. The cards of a run never change. */
export interface CardStore {
  /** Stores cards of a run that is not in force yet. */
  insert(cards: readonly RankedCard[]): Promise<void>;
  /** Part of a ranking, ordered by position; `corridor` null: the ranking over all corridors. */
  listRanking(
    run: number,
    query: { window: number; corridor: string | null; from: number; limit: number },
  ): Promise<RankedCard[]>;
  /** The anchor's record over all corridors, then its cards by corridor. */
  listOfAnchor(run: number, window: number, anchorId: string): Promise<RankedCard[]>;
  /** Cards ordered by anchor and corridor that follow the one of `after`, which is `anchor corridor`. */
  listCards(
    run: number,
    query: { window: number; after: string | null; limit: number },
  ): Promise<PublishedCard[]>;
  /** Every card of a run and window, in the order of `listCards`. It ends early if the run is dropped meanwhile. */
  everyCard(run: number, window: number): AsyncGenerator<PublishedCard>;
  /** How many cards of a run and window have a score. */
  countScored(run: number, window: number): Promise<number>;
  /** Removes some cards of runs before `run`, except `kept`. Returns false once none are left. */
  dropSomeBefore(run: number, kept: readonly number[]): Promise<boolean>;
}

const whole = { type: Number, required: true };
const text = { type: String, required: true };

/** The collection of v1 keeps its name from the time before the second formula. */
const models = {
  v1: { name: 'ReputationCard', options: { collection: 'reputation_cards' } },
  v2: { name: 'ReputationCardV2', options: { collection: 'reputation_cards_v2' } },
} as const;

function cardSchema(options: { collection: string }) {
  const schema = new Schema<RankedCard>(
    {
      _id: text,
      run: whole,
      window: whole,
      anchorId: text,
      anchorName: text,
      simulated: { type: Boolean, required: true },
      corridor: text,
      position: { type: Number, default: null },
      rank: { type: Number, default: null },
      scoredCorridors: whole,
      record: { type: Schema.Types.Mixed, required: true },
      signs: { type: Schema.Types.Mixed },
    },
    { ...options, versionKey: false },
  );
  return schema.index({ run: 1, window: 1, corridor: 1, position: 1 }, { name: 'ranking' });
}

const chunkSize = 500;
const pageSize = 500;

export function createCardStore(connection: Connection, formula: Formula): CardStore {
  const { name, options } = models[formula];
  const model = defineModel(connection, name, cardSchema(options));

  const store: CardStore = {
    async insert(cards) {
      await model.insertMany(cards, { ordered: false, lean: true });
    },

    listRanking: (run, { window, corridor, from, limit }) =>
      model
        .find({ run, window, corridor: corridor ?? allCorridors, position: { $gte: from } })
        .sort({ position: 1 })
        .limit(limit)
        .lean(),

    listOfAnchor: (run, window, anchorId) =>
      model
        .find({ _id: idsBelow(`${run} ${window} ${anchorId}`) })
        .sort({ _id: 1 })
        .lean(),

    async listCards(run, { window, after, limit }) {
      const all = idsBelow(`${run} ${window}`);
      const found = await model
        .find({
          _id: { $gt: after === null ? all.$gte : `${all.$gte}${after}`, $lt: all.$lt },
          corridor: { $ne: allCorridors },
        })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      return found.map(({ record }) => record as PublishedCard);
    },

    async *everyCard(run, window) {
      let after: string | null = null;
      for (;;) {
        const page: PublishedCard[] = await store.listCards(run, { window, after, limit: pageSize });
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return;
        after = `${last.anchorId} ${last.corridor}`;
      }
    },

    countScored: (run, window) =>
      model.countDocuments({
        _id: idsBelow(`${run} ${window}`),
        corridor: { $ne: allCorridors },
        'record.state': 'scored',
      }),

    async dropSomeBefore(run, kept) {
      const found = await model
        .find({ run: { $lt: run, $nin: kept } }, { _id: 1 })
        .limit(chunkSize)
        .lean();
      if (found.length === 0) return false;
      await model.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return true;
    },
  };
  return store;
}
