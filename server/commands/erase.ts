import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { parsePublicKey, StrkeyError } from '../../contract/verification/strkey.js';
import { OperatorError } from '../errors.js';
import { createDisputeStore } from '../features/disputes/store.js';
import { eraseAccount } from '../features/intents/erasure.js';
import { createIntentStore } from '../features/intents/store.js';
import { createMarkStore } from '../features/reputation/day-store.js';
import { createInTransaction } from '../mongo/transactions.js';
import { type Command, onServiceDatabase, type Result } from './command.js';

export const erase: Command = {
  usage: '[--dry-run] <account>',
  does: 'Erases what is kept of an account (G…, or 64 hex digits), as far as it may be erased yet.',
  guide: 'docs/privacy.md, "Erasing an account"',
  run(args) {
    const options = { 'dry-run': { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [given, ...more] = positionals;
    if (given === undefined || more.length > 0)
      throw new OperatorError('Name one account: G…, or 64 hex digits.');
    const account = accountIn(given);
    return onServiceDatabase((connection) => eraseFrom(connection, account, values['dry-run']));
  },
};

function accountIn(text: string): string {
  try {
    return parsePublicKey(text).account;
  } catch (error) {
    if (!(error instanceof StrkeyError)) throw error;
    throw new OperatorError(`Not an account: ${error.message}`);
  }
}

async function eraseFrom(connection: Connection, account: string, dryRun: boolean): Promise<Result> {
  const deps = {
    store: createIntentStore(connection),
    inTransaction: createInTransaction(connection),
    markDays: createMarkStore(connection).insert,
    disputes: createDisputeStore(connection),
    randomBytes: () => randomBytes(32),
    now: new Date(),
  };
  const report = await eraseAccount(deps, account, { dryRun });
  return { report: { account, dryRun, ...report }, complete: Object.keys(report.kept).length === 0 };
}
