/**
 * Shows which score formula leads, or puts another one in the lead: `node dist/server/formula.js` or
 * `node dist/server/formula.js v2`. Reads MONGODB_URI and MONGODB_DATABASE. Ends with 0, with 1 where the formula cannot
 * lead yet, and with 2 where it could not be done. Every instance follows within a few seconds.
 */
import { parseArgs } from 'node:util';
import { formulas, isKnownFormula } from '../contract/verification/formulas.js';
import { namesDatabase } from './config.js';
import { createReputationStore, type ReputationStore } from './features/reputation/store.js';
import { connectMongo } from './mongo/connection.js';

async function standingOf(store: ReputationStore, formula: (typeof formulas)[number]) {
  const { cards, readRuns } = store.by[formula];
  const { current, standsStillSince } = await readRuns();
  const scored = current === null ? 0 : await cards.countScored(current.run, 30);
  return { computedAt: current?.computedAt ?? null, standsStillSince, scoredCards: scored };
}

async function lead(uri: string, database: string | undefined, wanted: string | undefined): Promise<number> {
  if (wanted !== undefined && !isKnownFormula(wanted)) {
    process.stderr.write(`There is no formula ${wanted}: name one of ${formulas.join(', ')}.\n`);
    return 2;
  }
  const connection = await connectMongo({
    uri,
    ...(database === undefined ? {} : { databaseName: database }),
  });
  try {
    const store = createReputationStore(connection);
    const standing = { v1: await standingOf(store, 'v1'), v2: await standingOf(store, 'v2') };
    if (wanted === 'v2' && standing.v2.scoredCards === 0) {
      process.stderr.write('No card has a score by v2 yet: it takes 30 outcomes that the ledger verifies.\n');
      return 1;
    }
    if (wanted !== undefined) await store.setLeading(wanted);
    process.stdout.write(`${JSON.stringify({ leads: await store.readLeading(), ...standing }, null, 2)}\n`);
    return 0;
  } finally {
    await connection.close();
  }
}

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = process.env;
  if (positionals.length <= 1 && uri && namesDatabase(uri, database || undefined))
    return lead(uri, database || undefined, positionals[0]);
  process.stderr.write('MONGODB_URI must be set and name a database, or MONGODB_DATABASE be set, too.\n');
  return 2;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 2;
  },
);
