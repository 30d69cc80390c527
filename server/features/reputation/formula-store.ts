import type { ClientSession, Connection, Model } from 'mongoose';
import type { Formula } from '../../../contract/verification/formulas.js';
import { type CardStore, createCardStore } from './card-store.js';
import type { StateDocument } from './state-store.js';

/** The cards by one formula, and the run of the refresh whose cards are in force. */
export interface FormulaStore {
  formula: Formula;
  cards: CardStore;
  /** The runs whose cards are kept. */
  readRuns(): Promise<Runs>;
  /** Puts a run in force and keeps the previous one, so that clients can finish paging through its cards. */
  putRunInForce(session: ClientSession, run: Run): Promise<Runs>;
  /** Records since when the run in force has not been replaced because the ledger is away; an earlier time is kept. */
  standStill(session: ClientSession, since: Date): Promise<void>;
}

/** A run of the refresh whose cards are kept. */
export interface Run {
  run: number;
  computedAt: Date;
}

export interface Runs {
  /** The run in force; null before the first refresh. */
  current: Run | null;
  previous: Run | null;
  /** Since when the cards in force have not been recomputed because the ledger is away; null otherwise. */
  standsStillSince: Date | null;
}

/** The document of v1 keeps its name from the time before the second formula. */
const states = { v1: 'cards', v2: 'cards_v2' } as const;

/** `state` is the model of the reputation's state. Registers the model of the cards on the connection. */
export function createFormulaStore(
  connection: Connection,
  formula: Formula,
  state: Model<StateDocument>,
): FormulaStore {
  const _id = states[formula];
  const write = (session: ClientSession, change: Partial<StateDocument>) =>
    state.updateOne({ _id }, { $set: change }, { session, upsert: true });

  return {
    formula,
    cards: createCardStore(connection, formula),

    async readRuns() {
      const found = await state.findById(_id).lean();
      return {
        current: toRun(found?.run, found?.computedAt),
        previous: toRun(found?.previousRun, found?.previousComputedAt),
        standsStillSince: found?.standsStillSince ?? null,
      };
    },

    async putRunInForce(session, current) {
      const before = await state.findById(_id).session(session).lean();
      const previous = toRun(before?.run, before?.computedAt);
      await write(session, {
        ...current,
        previousRun: previous?.run ?? null,
        previousComputedAt: previous?.computedAt ?? null,
        standsStillSince: null,
      });
      return { current, previous, standsStillSince: null };
    },

    async standStill(session, since) {
      const filter = { _id, standsStillSince: null };
      // Without cards this matches no document, so nothing is recorded.
      await state.updateOne(filter, { $set: { standsStillSince: since } }, { session });
    },
  };
}

function toRun(run: number | null | undefined, computedAt: Date | null | undefined): Run | null {
  return run == null || computedAt == null ? null : { run, computedAt };
}
