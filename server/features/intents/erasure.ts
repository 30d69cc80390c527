import { encodePublicKey } from '../../../contract/verification/strkey.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';
import { daysOf, mayCount } from '../../outcome-days.rules.js';
import { utcDay } from '../../utc-day.rules.js';
import type { MarkDays } from '../reputation/count-days.js';
import {
  countedTogether,
  erasableAfterDays,
  inOrder,
  type KeptReason,
  keptReasons,
  remainderOf,
} from './erasure.rules.js';
import type { ErasureStore } from './erasure-store.js';
import type { Intent } from './intent.js';

export interface ErasureReport {
  /** Intents of the account that were erased, or with `dryRun` would be. */
  erased: number;
  /** Number of intents that have to be kept for now, by reason. */
  kept: Partial<Record<KeptReason, number>>;
  /** The UTC day from which the last kept intent may be erased, as things are; null where none is kept or it is unknown. */
  eraseAgainAfter: string | null;
}

/** Erases what is stored of an account, as far as it may be erased yet (docs/privacy.md). */
export type EraseAccount = (account: string, options: { dryRun: boolean }) => Promise<ErasureReport>;

export interface EraseAccountDeps {
  store: ErasureStore;
  inTransaction: InTransaction;
  markDays: MarkDays;
  /** Functions of the disputes feature. */
  openDisputesAmong(intentHashes: readonly string[], session?: ClientSession): Promise<string[]>;
  disputedAmong(intentHashes: readonly string[]): Promise<string[]>;
  eraseDisputes(
    session: ClientSession,
    renamed: ReadonlyMap<string, string>,
    names: { account: string; instead: string },
  ): Promise<void>;
  /** 32 random bytes. */
  randomBytes: () => Uint8Array;
  now: () => Promise<Date>;
}

const dayMs = 86_400_000;

export function createEraseAccount(deps: EraseAccountDeps): EraseAccount {
  const { store, inTransaction } = deps;

  /** Erases the outcomes of one account-day together, so that the day counts as before when it is counted anew. */
  async function eraseTogether(
    session: ClientSession,
    account: string,
    group: readonly Intent[],
  ): Promise<void> {
    const hashes = group.map(({ _id }) => _id);
    const found = await store.read(session, hashes);
    const disputed = new Set(await deps.disputedAmong(hashes));
    if ((await deps.openDisputesAmong(hashes, session)).length > 0)
      throw new Error('a dispute was filed meanwhile: run it again');
    const instead = encodePublicKey(deps.randomBytes());
    const left = inOrder(found.filter((intent) => mayCount(intent) || disputed.has(intent._id)));
    // The remainders have the same time, so that the order of their hashes decides which of them count.
    const newHashes = left.map(() => Buffer.from(deps.randomBytes()).toString('hex')).sort();
    const renamed = new Map(left.map(({ _id }, place) => [_id, newHashes[place] ?? '']));
    const remainders = left.map((intent) =>
      remainderOf(intent, { intentHash: renamed.get(intent._id) ?? '', account: instead }),
    );
    await store.remove(session, hashes);
    await store.insert(session, remainders);
    await deps.markDays(session, daysOf(...found));
    const renamedDisputed = new Map([...renamed].filter(([hash]) => disputed.has(hash)));
    await deps.eraseDisputes(session, renamedDisputed, { account, instead });
  }

  return async (account, { dryRun }) => {
    const now = await deps.now();
    const intents = await store.listOfAccount(account);
    const hashes = intents.map(({ _id }) => _id);
    const openDisputes = new Set(await deps.openDisputesAmong(hashes));
    const reasons = keptReasons(intents, { openDisputes, now });
    const erasable = intents.filter(({ _id }) => reasons.get(_id) === null);
    const kept = intents.filter(({ _id }) => reasons.get(_id) !== null);
    if (!dryRun) {
      for (const group of groupsOf(erasable))
        await inTransaction((session) => eraseTogether(session, account, group));
    }
    return {
      erased: erasable.length,
      kept: countsOf(kept, reasons),
      eraseAgainAfter: laterOf(kept, reasons),
    };
  };
}

function groupsOf(intents: readonly Intent[]): Intent[][] {
  const groups = new Map<string, Intent[]>();
  for (const intent of intents) {
    const key = countedTogether(intent);
    groups.set(key, [...(groups.get(key) ?? []), intent]);
  }
  return [...groups.values()];
}

function countsOf(
  kept: readonly Intent[],
  reasons: ReadonlyMap<string, KeptReason | null>,
): ErasureReport['kept'] {
  const counts: ErasureReport['kept'] = {};
  for (const { _id } of kept) {
    const reason = reasons.get(_id) ?? null;
    if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function laterOf(kept: readonly Intent[], reasons: ReadonlyMap<string, KeptReason | null>): string | null {
  // Nobody knows when a dispute gets its verdict.
  if (kept.some(({ _id }) => reasons.get(_id) === 'disputed')) return null;
  const ends = kept.map(
    ({ outcome, recoveredAt }) => (recoveredAt ?? outcome?.recordedAt)?.getTime() ?? null,
  );
  if (ends.length === 0 || ends.includes(null)) return null;
  return utcDay(new Date(Math.max(...ends.map(Number)) + erasableAfterDays * dayMs + dayMs));
}
