import type { ClientSession, Connection } from 'mongoose';
import type { Formula } from '../../../contract/verification/formulas.js';
import { defineModel } from '../../mongo/models.js';
import { type AccountStore, createAccountStore } from './account-store.js';
import { createFormulaStore, type FormulaStore } from './formula-store.js';
import { createRollupStore, type RollupStore } from './rollup-store.js';
import { type StateDocument, stateSchema } from './state-store.js';

/** The collections of reputation: roll-ups, cards by formula, accounts, and which of them are in force. */
export interface ReputationStore {
  rollups: RollupStore;
  by: Record<Formula, FormulaStore>;
  accounts: AccountStore;
  /** Fills the accounts once from the roll-ups in force, for outcomes that an earlier release counted. */
  fillAccounts(): Promise<void>;
  /** The generation of roll-ups in force. */
  currentGeneration(session?: ClientSession): Promise<number>;
  /**
   * What is read outside a transaction from the generation in force. It is read again if the generation changed meanwhile,
   * since a rebuild removes the roll-ups that it replaces.
   */
  ofOneGeneration<T>(read: (generation: number) => Promise<T>): Promise<T>;
  putGenerationInForce(session: ClientSession, generation: number): Promise<void>;
  /** The formula whose scores are returned if a request names none: v1 until another is set. */
  readLeading(): Promise<Formula>;
  setLeading(formula: Formula): Promise<void>;
  /**
   * The speed target of every corridor, by id. One that has left the fleet keeps the target it had when scores were
   * last computed, for the records that are still read.
   */
  speedTargets(
    corridors: readonly { id: string; speedTargetSeconds: number }[],
  ): Promise<Map<string, number>>;
  /** Call this in the transaction that puts the scores in force. */
  keepSpeedTargets(session: ClientSession, speedTargets: ReadonlyMap<string, number>): Promise<void>;
}

const firstGeneration = 1;

/** Registers its models on the connection, so that their collections and indexes can be prepared. */
export function createReputationStore(connection: Connection): ReputationStore {
  const state = defineModel(connection, 'ReputationState', stateSchema);
  const read = (id: StateDocument['_id'], session?: ClientSession) =>
    state
      .findById(id)
      .session(session ?? null)
      .lean();
  const write = (id: StateDocument['_id'], change: Partial<StateDocument>, session?: ClientSession) =>
    state.updateOne(
      { _id: id },
      { $set: change },
      { upsert: true, ...(session === undefined ? {} : { session }) },
    );

  const rollups = createRollupStore(connection);
  const accounts = createAccountStore(connection);

  async function currentGeneration(session?: ClientSession): Promise<number> {
    return (await read('rollups', session))?.generation ?? firstGeneration;
  }

  return {
    rollups,
    by: {
      v1: createFormulaStore(connection, 'v1', state),
      v2: createFormulaStore(connection, 'v2', state),
    },
    accounts,

    async fillAccounts() {
      if ((await read('accounts'))?.filled === true) return;
      await rollups.mergeFirstDaysInto(await currentGeneration(), accounts.collectionName);
      await write('accounts', { filled: true });
    },

    currentGeneration,

    async ofOneGeneration(readFrom) {
      for (;;) {
        const generation = await currentGeneration();
        const whole = await readFrom(generation);
        if ((await currentGeneration()) === generation) return whole;
      }
    },

    async putGenerationInForce(session, generation) {
      await write('rollups', { generation }, session);
    },

    async readLeading() {
      return (await read('formula'))?.leads ?? 'v1';
    },

    async setLeading(leads) {
      await write('formula', { leads });
    },

    async speedTargets(corridors) {
      const targets = new Map(Object.entries((await read('cards'))?.speedTargets ?? {}));
      for (const { id, speedTargetSeconds } of corridors) targets.set(id, speedTargetSeconds);
      return targets;
    },

    async keepSpeedTargets(session, speedTargets) {
      await write('cards', { speedTargets: Object.fromEntries(speedTargets) }, session);
    },
  };
}
