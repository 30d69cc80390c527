import { createHash } from 'node:crypto';
import type { OutcomeDay } from '../../outcome-days.rules.js';
import {
  byRecord,
  countedPerAccountDay,
  type Evidence,
  type JudgedIntent,
  standingAlone,
} from './what-counts.rules.js';

/**
 * Settle times are kept as a histogram over this table: bucket `i` holds the whole seconds above `bounds[i - 1]` up
 * to and including `bounds[i]`; whatever exceeds 90 days is in the last one. Exact to 100 s, with steps of at most 2 %
 * above that. Stored roll-ups hold indexes into this table.
 */
export const settleBounds: readonly number[] = makeBounds();

function makeBounds(): number[] {
  const longestSeconds = 90 * 86_400;
  const bounds = [0];
  for (let last = 0; last < longestSeconds; bounds.push(last))
    last = Math.min(longestSeconds, Math.max(last + 1, Math.floor((last * 102) / 100)));
  return bounds;
}

/** The bucket of a settle time in seconds. Defined for every number, so that no stored value can stop a refresh. */
export function settleBucketOf(settleSeconds: number): number {
  let low = 0;
  let high = settleBounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((settleBounds[middle] ?? 0) >= settleSeconds) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The nearest-rank percentile of a histogram: the upper bound of the bucket that holds the value of rank
 * ⌈percent · n / 100⌉. It is never below the exact percentile and at most 2 % above it. Null without values.
 */
export function percentileSeconds(histogram: Uint32Array, percent: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.ceil((total * percent) / 100);
  let seen = 0;
  for (let bucket = 0; bucket < histogram.length; bucket++) {
    seen += histogram[bucket] ?? 0;
    if (seen >= rank) return settleBounds[bucket] ?? null;
  }
  return null;
}

/**
 * Counts by a number below 2³², as a roll-up stores them: pairs of number and count in order, 4 bytes little-endian each.
 * Stored as a document with a hundred members, they would make up most of the cost of a refresh.
 */
export type PackedCounts = Uint8Array;

export const pairBytes = 8;

export function packCounts(counts: ReadonlyMap<number, number>): PackedCounts {
  const packed = new Uint8Array(counts.size * pairBytes);
  const view = new DataView(packed.buffer);
  for (const [index, [key, count]] of [...counts].sort(([a], [b]) => a - b).entries()) {
    view.setUint32(index * pairBytes, key, true);
    view.setUint32(index * pairBytes + 4, count, true);
  }
  return packed;
}

/** Visits the numbers in order. */
export function forEachCount(packed: PackedCounts, visit: (key: number, count: number) => void): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at + pairBytes <= packed.byteLength; at += pairBytes) {
    visit(view.getUint32(at, true), view.getUint32(at + 4, true));
  }
}

/** The sums of a roll-up, all whole numbers. */
const noSums = {
  filled: 0,
  notFilled: 0,
  accountDays: 0,
  quotedOutcomes: 0,
  /** Parts per 10⁹. */
  shortfallPpb: 0,
  acceptedDisputes: 0,
  timesKnown: 0,
  newAccountOutcomes: 0,
  ledgerOutcomes: 0,
  anchorOutcomes: 0,
};

export type Sums = typeof noSums;
export const sumNames = Object.keys(noSums) as (keyof Sums)[];

/** Sums that are all zero. */
export function emptySums(): Sums {
  return { ...noSums };
}

/** What counts of one anchor, corridor and UTC day. */
export interface Rollup extends OutcomeDay, Sums {
  /** Settle times by bucket. */
  settle: PackedCounts;
  /** Outcomes by account, which is named by a digest. */
  accounts: PackedCounts;
}

const wholePpb = 1_000_000_000;
/** An account is new for this many days, beginning with the day of its first outcome. */
const newAccountDays = 30;

/** The accounts that had an outcome with any anchor before this instant are not new any more on this day. */
export function knownBefore(day: string): Date {
  return new Date(Date.parse(day) - (newAccountDays - 1) * 86_400_000);
}

/**
 * Counts a day anew from all its outcomes; null if none of them counts or is told in any way. The result follows from them
 * alone, so it does not matter how often, in which order and after what a day is counted.
 */
export function countDay(
  place: OutcomeDay,
  outcomes: readonly JudgedIntent[],
  how: {
    evidence: Evidence;
    /** The accounts among these that are not new any more on this day. */
    knownAccounts: ReadonlySet<string>;
  },
): Rollup | null {
  const sums = emptySums();
  const settle = new Map<number, number>();
  const accounts = new Map<number, number>();
  const counted = new Map<string, number>();
  for (const intent of [...outcomes].sort(byRecord)) {
    const { account, outcome, disputeEffect } = intent;
    const { counts, uncountedReason } = standingAlone(intent, how.evidence);
    if (uncountedReason === 'dispute_accepted') sums.acceptedDisputes += 1;
    if (uncountedReason === 'unverified' && outcome.evidence !== 'unverified') sums.anchorOutcomes += 1;
    const before = counted.get(account) ?? 0;
    if (counts === 'no' || before === countedPerAccountDay) continue;
    counted.set(account, before + 1);
    addTo(accounts, digestOf(account));
    if (before === 0) sums.accountDays += 1;
    if (disputeEffect !== null) sums.acceptedDisputes += 1;
    if (!how.knownAccounts.has(account)) sums.newAccountOutcomes += 1;
    if (outcome.evidence === 'ledger') sums.ledgerOutcomes += 1;
    else if (outcome.evidence !== 'unverified') sums.anchorOutcomes += 1;
    if (counts === 'not_filled') {
      sums.notFilled += 1;
      continue;
    }
    sums.filled += 1;
    if (outcome.timesKnown === true) sums.timesKnown += 1;
    if (outcome.shortfallPpb !== null) {
      sums.quotedOutcomes += 1;
      sums.shortfallPpb += Math.min(wholePpb, Math.max(0, Math.round(outcome.shortfallPpb)));
    }
    // With the ledger, a time that the anchor did not show in time is withheld, whatever else is known of it.
    const tells = how.evidence === 'anchor' || outcome.timesKnown === true;
    if (tells && outcome.settleSeconds !== null) addTo(settle, settleBucketOf(outcome.settleSeconds));
  }
  if (sumNames.every((name) => sums[name] === 0)) return null;
  return { ...place, ...sums, settle: packCounts(settle), accounts: packCounts(accounts) };
}

/** Roll-ups hold no accounts. Two of a day's accounts have the same 32 bits once in very many days. */
function digestOf(account: string): number {
  return createHash('sha256').update(account).digest().readUInt32LE();
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, count = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
