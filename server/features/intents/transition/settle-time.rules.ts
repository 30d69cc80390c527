import { Decimal } from 'decimal.js';
import { provesFunds, type ReadStatus, type TransactionRecord } from '../record/sep-record.rules.js';

/** The observations of a transaction, timed by our own clock so that no anchor can move them far. Epoch ms. */
export type Observations = { [Name in keyof Omit<typeof unobserved, 'waitedMs'>]: number | null } & {
  /** The word of the last record. */
  status: ReadStatus['word'] | null;
  waitedMs: number;
};

const unobserved = {
  firstAtMs: null,
  lastAtMs: null,
  /** When the transaction came to its status, according to the anchor. */
  updatedAtMs: null,
  /** The last observation without proof of funds, and the first one with it. */
  unfundedAtMs: null,
  fundedAtMs: null,
  /** When the payment arrived, if it was observed between payment and payout; else null. */
  paidAtMs: null,
  /** The last observation as neither ready nor completed, and since when the cash is ready. */
  notReadyAtMs: null,
  readyAtMs: null,
  /** When the readiness was first observed. */
  readySeenAtMs: null,
  /** The last observation as not completed; when the present completion was first observed, and when it happened. */
  notCompletedAtMs: null,
  completedSeenAtMs: null,
  completedAtMs: null,
  /** When the first of the present, uninterrupted records with a closed status such as `error` was stored. */
  closedSinceMs: null,
  /** Since when every record was closed or completed, so that an anchor gains no time by alternating between them. */
  notOpenSinceMs: null,
  /** Since when the paid withdrawal waits for its customer, and how long it did so before. */
  waitingSinceMs: null,
  waitedMs: 0,
  /** Since when the records show a fault of the withdrawal itself (eligibility.rules.ts). */
  faultySinceMs: null,
};
export const nothingObserved: Observations = { ...unobserved, status: null };

/** The members of an intent that follows no transaction, and claims none. */
export const nothingFollowed = {
  transactionId: undefined,
  attachedAt: null,
  observations: nothingObserved,
  told: null,
  amountIn: null,
  callbacks: null,
  claimedId: undefined,
  claimedAt: null,
  problem: null,
  poll: 'never',
  unknownPolls: 0,
  lookUpDue: undefined,
} as const;

/**
 * Adds one observation: the anchor was asked at `observedAtMs`, and its record is stored at `storedAtMs`. In the first
 * one, earlier times than `attachedAtMs` are raised to it.
 */
export function addObservation(
  before: Observations,
  record: TransactionRecord,
  { observedAtMs, storedAtMs }: { observedAtMs: number; storedAtMs: number },
  attachedAtMs: number,
): Observations {
  const funded = before.fundedAtMs !== null || provesFunds(record);
  const { group } = record.status;
  const completed = group === 'completed' && !record.refunded;
  const doneForUser = completed || group === 'ready';
  const between = (told: number | null, from: number | null) =>
    clamp(told ?? observedAtMs, from ?? attachedAtMs, observedAtMs);

  const after: Observations = {
    ...before,
    firstAtMs: before.firstAtMs ?? observedAtMs,
    lastAtMs: observedAtMs,
    status: record.status.word,
    updatedAtMs: record.updatedAtMs,
    closedSinceMs: group === 'closed' ? (before.closedSinceMs ?? storedAtMs) : null,
    notOpenSinceMs: group === 'closed' || completed ? (before.notOpenSinceMs ?? observedAtMs) : null,
  };
  const waits = funded && (group === 'ready' || group === 'asked');
  after.waitingSinceMs = waits ? (before.waitingSinceMs ?? observedAtMs) : null;
  if (!waits && before.waitingSinceMs !== null)
    after.waitedMs = before.waitedMs + observedAtMs - before.waitingSinceMs;
  if (!funded) after.unfundedAtMs = observedAtMs;
  if (funded && before.fundedAtMs === null) {
    after.fundedAtMs = observedAtMs;
    // `updatedAtMs` is the time of the payment only while nothing later has happened.
    after.paidAtMs = doneForUser ? null : between(record.updatedAtMs, before.unfundedAtMs);
  }
  if (!doneForUser) {
    after.notReadyAtMs = observedAtMs;
    after.readyAtMs = null;
    after.readySeenAtMs = null;
  } else if (group === 'ready' && before.readyAtMs === null) {
    after.readySeenAtMs = observedAtMs;
    after.readyAtMs = between(record.updatedAtMs, before.notReadyAtMs);
  }
  if (!completed) {
    after.notCompletedAtMs = observedAtMs;
    after.completedSeenAtMs = null;
    after.completedAtMs = null;
  } else if (before.completedSeenAtMs === null) {
    after.completedSeenAtMs = observedAtMs;
    after.completedAtMs = between(record.completedAtMs ?? record.updatedAtMs, before.notCompletedAtMs);
  }
  return after;
}

/** Payment and payout that are first observed together, after a longer gap, say nothing about an anchor's speed. */
const maxUnobservedMs = 60_000;

/**
 * Where the ledger tells the time of the payment, a payout observed long after the anchor's time for it has no settle
 * time: over a minute, and over a tenth of the time since the payment, as slow payouts are polled less often.
 */
const toldLateParts = 10;

/**
 * Whole seconds from payment to payout (cash: until it is ready for pick-up); null while the transaction is not completed.
 * Where funds and payout were first observed together, both lie between the last observation without funds and the payout:
 * half of that time is taken if it is a minute at most; if it is longer, the settle time is unknown and null. `byLedger`:
 * the payment was found on the ledger.
 */
export function settleSeconds(
  observed: Observations,
  attachedAtMs: number,
  byLedger: boolean,
): number | null {
  if (observed.completedAtMs === null) return null;
  if (byLedger && !timesKnown(observed, byLedger)) return null;
  const endMs = observed.readyAtMs ?? observed.completedAtMs;
  const unobservedMs = endMs - (observed.unfundedAtMs ?? attachedAtMs);
  if (observed.paidAtMs === null && unobservedMs > maxUnobservedMs) return null;
  const tookMs = observed.paidAtMs === null ? unobservedMs / 2 : endMs - observed.paidAtMs;
  return Math.max(0, Math.floor(tookMs / 1_000));
}

/**
 * Whether the settle time is known. Without a ledger: a record showed the payment before one showed the payout; otherwise
 * it is estimated, or null. With a ledger: the payout was observed after the payment, and soon after the time that the
 * anchor gives for it. An anchor that is silent for hours and then backdates its payout would otherwise look quick.
 */
export function timesKnown(observed: Observations, byLedger: boolean): boolean {
  const { paidAtMs, readyAtMs, readySeenAtMs, completedAtMs, completedSeenAtMs } = observed;
  if (paidAtMs === null || completedAtMs === null) return false;
  if (!byLedger) return true;
  const endMs = readyAtMs ?? completedAtMs;
  const seenAtMs = (readyAtMs === null ? completedSeenAtMs : readySeenAtMs) ?? endMs;
  const lateMs = Math.max(maxUnobservedMs, (seenAtMs - paidAtMs) / toldLateParts);
  return seenAtMs >= paidAtMs && seenAtMs - endMs <= lateMs;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Enough for a quotient of two ratios of amounts of 40 digits each to be exact to the part per billion. */
const Exact = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_UP });
const wholePpb = 1_000_000_000;

export interface ShortfallInput {
  amountIn: string;
  amountOut: string;
  /** What was quoted. An estimate of ours is no promise of the anchor, so it gives no shortfall. */
  quote: { tier: 'anchor' | 'estimate'; sellAmount: string; receiveAmount: string } | null;
}

/**
 * max(0, 1 − (amount_out / amount_in) / (quoted receive / quoted sell)) in parts per 10⁹, rounded half up; null
 * without a quote of the anchor's own, or where an amount is zero.
 */
export function shortfallPpb({ amountIn, amountOut, quote }: ShortfallInput): number | null {
  if (quote?.tier !== 'anchor') return null;
  const paidIn = new Exact(amountIn);
  const promised = new Exact(quote.receiveAmount);
  if (paidIn.isZero() || promised.isZero() || new Exact(quote.sellAmount).isZero()) return null;
  // One division, so that a payout exactly as promised is exactly 0.
  const kept = new Exact(amountOut).times(quote.sellAmount).div(paidIn.times(promised));
  const ppb = new Exact(1).minus(kept).times(wholePpb).toDecimalPlaces(0).toNumber();
  return Math.min(wholePpb, Math.max(0, ppb));
}
