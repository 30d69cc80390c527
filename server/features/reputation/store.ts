import { type ClientSession, type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import { type AccountStore, createAccountStore } from './account-store.js';
import { type CardStore, createCardStore } from './card-store.js';
import { createRollupStore, type RollupStore } from './rollup-store.js';

/** The collections of reputation: roll-ups, cards, accounts, and which of them are in force. */
export interface ReputationStore {
  rollups: RollupStore;
  cards: CardStore;
  accounts: AccountStore;
  /** Takes the accounts of outcomes that an earlier release counted from the roll-ups in force; once, then does nothing. */
  fillAccounts(): Promise<void>;
  /** The generation of roll-ups in force. */
  currentGeneration(session?: ClientSession): Promise<number>;
  putGenerationInForce(session: ClientSession, generation: number): Promise<void>;
  /** The runs whose cards are kept. */
  readRuns(): Promise<Runs>;
  /** Puts a run in force and keeps the one that was, so that pages begun on it can be read to their end. */
  putRunInForce(session: ClientSession, run: Run, speedTargets: ReadonlyMap<string, number>): Promise<Runs>;
  /**
   * The speed target of every corridor, by id. One that has left the fleet keeps the target it had when scores were
   * last computed, for the records that are still read.
   */
  speedTargets(
    corridors: readonly { id: string; speedTargetSeconds: number }[],
  ): Promise<Map<string, number>>;
}

/** A run of the refresh whose cards are kept. */
export interface Run {
  run: number;
  computedAt: Date;
}

export interface Runs {
  /** In force; null before the first refresh. */
  current: Run | null;
  previous: Run | null;
}

interface StateDocument {
  _id: 'rollups' | 'cards' | 'accounts';
  /** Of the accounts: whether they were taken from the roll-ups. */
  filled?: boolean;
  generation?: number;
  run?: number;
  previousRun?: number | null;
  computedAt?: Date;
  previousComputedAt?: Date | null;
  speedTargets?: Record<string, number>;
}

const stateSchema = new Schema<StateDocument>(
  {
    _id: { type: String, required: true },
    generation: Number,
    filled: Boolean,
    run: Number,
    previousRun: Number,
    computedAt: Date,
    previousComputedAt: Date,
    speedTargets: Schema.Types.Mixed,
  },
  { collection: 'reputation_state', versionKey: false },
);

const firstGeneration = 1;

/** Registers its models on the connection, so that their collections and indexes can be prepared. */
export function createReputationStore(connection: Connection): ReputationStore {
  const state = defineModel(connection, 'ReputationState', stateSchema);
  const read = (id: StateDocument['_id'], session?: ClientSession) =>
    state
      .findById(id)
      .session(session ?? null)
      .lean();
  const write = (id: StateDocument['_id'], change: Partial<StateDocument>, session: ClientSession) =>
    state.updateOne({ _id: id }, { $set: change }, { session, upsert: true });

  const rollups = createRollupStore(connection);
  const accounts = createAccountStore(connection);

  return {
    rollups,
    cards: createCardStore(connection),
    accounts,

    async fillAccounts() {
      if ((await read('accounts'))?.filled === true) return;
      const generation = (await read('rollups'))?.generation ?? firstGeneration;
      await rollups.mergeFirstDaysInto(generation, accounts.collectionName);
      await state.updateOne({ _id: 'accounts' }, { $set: { filled: true } }, { upsert: true });
    },

    async currentGeneration(session) {
      return (await read('rollups', session))?.generation ?? firstGeneration;
    },

    async putGenerationInForce(session, generation) {
      await write('rollups', { generation }, session);
    },

    async readRuns() {
      const found = await read('cards');
      return {
        current: toRun(found?.run, found?.computedAt),
        previous: toRun(found?.previousRun, found?.previousComputedAt),
      };
    },

    async putRunInForce(session, current, speedTargets) {
      const before = await read('cards', session);
      const previous = toRun(before?.run, before?.computedAt);
      const change = {
        ...current,
        previousRun: previous?.run ?? null,
        previousComputedAt: previous?.computedAt ?? null,
        speedTargets: Object.fromEntries(speedTargets),
      };
      await write('cards', change, session);
      return { current, previous };
    },

    async speedTargets(corridors) {
      const targets = new Map(Object.entries((await read('cards'))?.speedTargets ?? {}));
      for (const { id, speedTargetSeconds } of corridors) targets.set(id, speedTargetSeconds);
      return targets;
    },
  };
}

function toRun(run: number | null | undefined, computedAt: Date | null | undefined): Run | null {
  return run == null || computedAt == null ? null : { run, computedAt };
}
