/**
 * Prints which score formula is used for ranking, or switches it: `node dist/server/formula.js` or `node
 * dist/server/formula.js v2`. Reads MONGODB_URI and MONGODB_DATABASE. Exits with 0; with 1 if the formula cannot be
 * used yet; with 2 if the command failed. Other instances pick up the change within a few seconds.
 */
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { type Formula, formulas, isKnownFormula } from '../contract/verification/formulas.js';
import { createAggregationStore } from './features/intents/aggregation-store.js';
import { createReputationStore, type ReputationStore } from './features/reputation/store.js';
import { onServiceDatabase, refuse, runCommand } from './operator-command.js';

async function standingOf(store: ReputationStore, formula: Formula) {
  const { cards, readRuns } = store.by[formula];
  const { current, standsStillSince } = await readRuns();
  const scored = current === null ? 0 : await cards.countScored(current.run, 30);
  return { computedAt: current?.computedAt ?? null, standsStillSince, scoredCards: scored };
}

async function lead(connection: Connection, wanted: Formula | undefined): Promise<number> {
  const store = createReputationStore(connection);
  const standing = { v1: await standingOf(store, 'v1'), v2: await standingOf(store, 'v2') };
  if (wanted === 'v2' && standing.v2.scoredCards === 0) {
    process.stderr.write(
      'No card has a score by v2 yet: it takes 30 outcomes that the ledger verifies, on 15 account-days.\n',
    );
    return 1;
  }
  if (wanted !== undefined) await store.setLeading(wanted);
  process.stdout.write(`${JSON.stringify({ leads: await store.readLeading(), ...standing }, null, 2)}\n`);
  return 0;
}

const hasIntents = (connection: Connection) => createAggregationStore(connection).collectionExists();

runCommand(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [wanted, ...more] = positionals;
  if (more.length > 0) return refuse('Name one formula at most.');
  if (wanted !== undefined && !isKnownFormula(wanted))
    return refuse(`There is no formula ${wanted}: name one of ${formulas.join(', ')}.`);
  return onServiceDatabase(hasIntents, (connection) => lead(connection, wanted));
});
