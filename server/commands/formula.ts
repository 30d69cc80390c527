import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { type Formula, formulas, isKnownFormula } from '../../contract/verification/formulas.js';
import { createReputationStore, type ReputationStore } from '../features/reputation/store.js';
import { type Command, CommandError, onServiceDatabase, type Result } from './command.js';

export const formula: Command = {
  usage: `[${formulas.join('|')}]`,
  does: 'Prints which score formula is used for ranking, or switches it.',
  details: `
Other instances pick up the change within a few seconds. Reads MONGODB_URI and MONGODB_DATABASE.
`,
  run(args) {
    const [wanted, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
    if (more.length > 0) throw new CommandError('Name one formula at most.');
    if (wanted !== undefined && !isKnownFormula(wanted))
      throw new CommandError(`There is no formula ${wanted}: name one of ${formulas.join(', ')}.`);
    return onServiceDatabase((connection) => lead(connection, wanted));
  },
};

async function standingOf(store: ReputationStore, name: Formula) {
  const { cards, readRuns } = store.by[name];
  const { current, standsStillSince } = await readRuns();
  const scored = current === null ? 0 : await cards.countScored(current.run, 30);
  return { computedAt: current?.computedAt ?? null, standsStillSince, scoredCards: scored };
}

async function lead(connection: Connection, wanted: Formula | undefined): Promise<Result> {
  const store = createReputationStore(connection);
  const standing = { v1: await standingOf(store, 'v1'), v2: await standingOf(store, 'v2') };
  if (wanted === 'v2' && standing.v2.scoredCards === 0) {
    throw new CommandError(
      'No card has a score by v2 yet: it takes 30 outcomes that the ledger verifies, on 15 account-days.',
    );
  }
  if (wanted !== undefined) await store.setLeading(wanted);
  return { report: { leads: await store.readLeading(), ...standing }, complete: true };
}
