import { encodePublicKey } from '../../../contract/verification/strkey.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import { utcDay } from '../../utc-day.rules.js';
import { erasableAfterDays, isCounted, type KeptReason, keptReasons, remainderOf } from './erasure.rules.js';
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
export type EraseAccount = (
  account: string,
  options: { dryRun: boolean },
) => Promise<LeaseOutcome<ErasureReport>>;

/** An account-day, which is renamed together with the outcomes that are counted in it. */
export interface AccountDayOf {
  anchorId: string;
  corridor: string;
  day: string;
}

export interface EraseAccountDeps {
  store: ErasureStore;
  leases: Pick<Leases, 'run'>;
  /** The aggregator's lease, held so that nothing is counted during the erasure. */
  lease: string;
  inLeasedTransaction: InLeasedTransaction;
  /** Functions of the reputation feature. */
  renameAccountDays(
    session: ClientSession,
    days: readonly AccountDayOf[],
    names: { account: string; instead: string },
  ): Promise<void>;
  forgetAccount(session: ClientSession, account: string): Promise<void>;
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

const leaseTtlMs = 10_000;
/** Limits of one transaction: at most this many account-days, and no further one once it has this many intents. */
const daysAtOnce = 20;
const intentsAtOnce = 200;
const dayMs = 86_400_000;

export function createEraseAccount(deps: EraseAccountDeps): EraseAccount {
  const { store, inLeasedTransaction } = deps;

  async function erase(lease: HeldLease, account: string, dryRun: boolean): Promise<ErasureReport> {
    const now = await deps.now();
    const intents = await store.listOfAccount(account);
    const hashes = intents.map(({ _id }) => _id);
    const openDisputes = new Set(await deps.openDisputesAmong(hashes));
    const reasons = keptReasons(intents, { openDisputes, now });
    const erasable = intents.filter(({ _id }) => reasons.get(_id) === null);
    const kept = intents.filter(({ _id }) => reasons.get(_id) !== null);
    if (!dryRun) {
      // One name for the whole run, so that the outcomes of one customer still share one account.
      const instead = encodePublicKey(deps.randomBytes());
      for (const group of groupsOf(erasable)) {
        lease.signal.throwIfAborted();
        await inLeasedTransaction(lease, (session) => eraseGroup(session, group, { account, instead }));
      }
      if (kept.length === 0)
        await inLeasedTransaction(lease, (session) => deps.forgetAccount(session, account));
    }
    return {
      erased: erasable.length,
      kept: countsOf(kept, reasons),
      eraseAgainAfter: laterOf(kept, reasons),
    };
  }

  /** Erases all outcomes of some account-days together. */
  async function eraseGroup(
    session: ClientSession,
    group: readonly Intent[],
    names: { account: string; instead: string },
  ): Promise<void> {
    const hashes = group.map(({ _id }) => _id);
    const found = await store.read(session, hashes);
    const disputed = new Set(await deps.disputedAmong(hashes));
    if ((await deps.openDisputesAmong(hashes, session)).length > 0)
      throw new Error('a dispute was filed meanwhile: run it again');
    if (found.some(({ counting }) => counting?.pendingAggregation === true))
      throw new Error('an outcome changed meanwhile: run it again');
    const renamedDisputed = new Map<string, string>();
    const remainders = found.flatMap((intent) => {
      if (!isCounted(intent) && !disputed.has(intent._id)) return [];
      const intentHash = Buffer.from(deps.randomBytes()).toString('hex');
      if (disputed.has(intent._id)) renamedDisputed.set(intent._id, intentHash);
      return [remainderOf(intent, { intentHash, account: names.instead })];
    });
    await store.remove(session, hashes);
    await store.insertCounted(session, remainders);
    await deps.renameAccountDays(session, accountDaysOf(found), names);
    await deps.eraseDisputes(session, renamedDisputed, names);
  }

  return (account, { dryRun }) =>
    deps.leases.run(deps.lease, leaseTtlMs, (lease) => erase(lease, account, dryRun));
}

function accountDaysOf(intents: readonly Intent[]): AccountDayOf[] {
  const days = new Map<string, AccountDayOf>();
  for (const { anchorId, corridor, outcome } of intents) {
    if (outcome === null) continue;
    const day = utcDay(outcome.recordedAt);
    days.set(`${anchorId} ${day} ${corridor}`, { anchorId, corridor, day });
  }
  return [...days.values()];
}

/** The intents of one account-day are never in two groups. */
function groupsOf(intents: readonly Intent[]): Intent[][] {
  const byDay = new Map<string, Intent[]>();
  for (const intent of intents) {
    const { anchorId, corridor, outcome } = intent;
    const key = `${anchorId} ${outcome === null ? '' : utcDay(outcome.recordedAt)} ${corridor}`;
    byDay.set(key, [...(byDay.get(key) ?? []), intent]);
  }
  const groups: Intent[][] = [];
  let days = 0;
  for (const day of byDay.values()) {
    const last = groups.at(-1);
    if (last === undefined || days === daysAtOnce || last.length >= intentsAtOnce) {
      groups.push([...day]);
      days = 1;
    } else {
      last.push(...day);
      days += 1;
    }
  }
  return groups;
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
