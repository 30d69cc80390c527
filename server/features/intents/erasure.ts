import { encodePublicKey } from '../../../contract/verification/strkey.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';
import { daysOf, mayCount } from '../../outcome-days.rules.js';
import type { MarkDays } from '../reputation/count-days.js';
import { accountDays, inOrder, type KeptReason, keptReason, remainderOf } from './erasure.rules.js';
import type { Intent } from './intent.js';
import type { IntentStore } from './store.js';

export interface ErasureReport {
  /** Intents of the account that were erased, or with `dryRun` would be. */
  erased: number;
  /** How many stay for now, by reason; all outcomes of a day stay for the reason of one. */
  kept: Partial<Record<KeptReason, number>>;
}

export interface EraseAccountDeps {
  store: Pick<IntentStore, 'listOfAccount' | 'findByHashes' | 'replaceAll'>;
  inTransaction: InTransaction;
  markDays: MarkDays;
  /** Functions of the disputes feature. */
  disputes: {
    openAmong(intentHashes: readonly string[], session?: ClientSession): Promise<string[]>;
    removeOf(session: ClientSession, intentHashes: readonly string[]): Promise<unknown>;
  };
  /** 32 random bytes. */
  randomBytes: () => Uint8Array;
  now: Date;
}

/** Erases what is stored of an account, as far as it may be erased yet (docs/privacy.md). */
export async function eraseAccount(
  deps: EraseAccountDeps,
  account: string,
  { dryRun }: { dryRun: boolean },
): Promise<ErasureReport> {
  const intents = await deps.store.listOfAccount(account);
  const openDisputes = new Set(await deps.disputes.openAmong(intents.map(({ _id }) => _id)));
  const report: ErasureReport = { erased: 0, kept: {} };
  for (const day of accountDays(intents)) {
    const reasons = day.flatMap((intent) => keptReason(intent, openDisputes, deps.now) ?? []);
    const [reason] = reasons;
    if (reason === undefined) {
      report.erased += day.length;
      if (!dryRun) await deps.inTransaction((session) => eraseDay(deps, session, day));
    } else report.kept[reason] = (report.kept[reason] ?? 0) + day.length;
  }
  return report;
}

/** Leaves a remainder of each outcome under one random account, so that the day counts as before when it is counted anew. */
async function eraseDay(
  deps: EraseAccountDeps,
  session: ClientSession,
  day: readonly Intent[],
): Promise<void> {
  const hashes = day.map(({ _id }) => _id);
  const found = await deps.store.findByHashes(hashes, session);
  if ((await deps.disputes.openAmong(hashes, session)).length > 0)
    throw new Error('a dispute was filed meanwhile: run it again');
  const account = encodePublicKey(deps.randomBytes());
  const left = inOrder(found.filter(mayCount));
  // The remainders have the same time, so that the order of their hashes decides which of them count.
  const newHashes = left.map(() => Buffer.from(deps.randomBytes()).toString('hex')).sort();
  const remainders = left.map((intent, place) =>
    remainderOf(intent, { intentHash: newHashes[place] ?? '', account }),
  );
  await deps.store.replaceAll(session, hashes, remainders);
  await deps.markDays(session, daysOf(...found));
  await deps.disputes.removeOf(session, hashes);
}
