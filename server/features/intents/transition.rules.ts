import { Decimal } from 'decimal.js';
import type { IntentStatus, OutcomeReason, UnscoredReason } from '../../../contract/schemas/intents.js';
import { type EligibilityTerms, identityFault, isAnnouncedAmount } from './eligibility.rules.js';
import type { TransactionRecord } from './sep-record.rules.js';
import { addSight, type Sightings, settleSeconds } from './settle-time.rules.js';
import { type ShortfallInput, shortfallPpb } from './shortfall.rules.js';

const dayMs = 86_400_000;
/** A transaction the user may still pay is followed this long beyond the intent's own deadline. */
export const lateFundsMs = dayMs;
/** Cash that nobody collects is followed this long. */
export const pickUpMs = 90 * dayMs;
/** How long a failed intent may still be completed by its anchor. */
export const recoveryMs = 30 * dayMs;

/** Whether the outcome may count: no reason against it. `amountIn` is fixed by the first sight of funds naming it. */
export interface Judgement {
  unscoredReason: UnscoredReason | null;
  amountIn: string | null;
}

export interface Ending {
  status: Exclude<IntentStatus, 'pending'>;
  reason: OutcomeReason;
  /** When it was recorded first; a recovery keeps the failure's. */
  recordedAtMs: number;
  recoveredAtMs: number | null;
  settleSeconds: number | null;
  shortfallPpb: number | null;
}

/** All that decides what becomes of an intent. */
export interface IntentState {
  terms: EligibilityTerms & { overdueAfterSeconds: number; quote: ShortfallInput['quote'] };
  /** Until when the payment may be made. */
  deadlineMs: number;
  /** When the transaction was attached; null: none is. */
  attachedAtMs: number | null;
  sightings: Sightings;
  judgement: Judgement;
  ending: Ending | null;
}

export interface Sight {
  record: TransactionRecord;
  /** When we asked, or were told. */
  seenAtMs: number;
  /** Told by a callback: anchors repeat those that failed, so that an old one may come after a newer one. */
  mayBeLate?: boolean;
}

export interface TransitionLimits {
  failureGraceMs: number;
}

/**
 * The one transition function: a state, what was seen of its transaction (null: only time went by), and now → the
 * state after it. A sight older than the last one, or of an intent without a transaction, adds nothing.
 */
export function transition(
  state: IntentState,
  sight: Sight | null,
  nowMs: number,
  limits: TransitionLimits,
): IntentState {
  if (state.ending !== null && state.ending.status !== 'failed') return state;
  const seen = sight === null ? state : observe(state, sight);
  const record = seen === state ? null : (sight?.record ?? null);
  if (state.ending !== null) return recover(seen, state, record, nowMs);
  const reached = endOf(seen, record, nowMs, limits);
  if (reached === null) return seen;
  const [status, reason] = reached;
  return end(seen, record, { status, reason, recordedAtMs: nowMs, recoveredAtMs: null });
}

/** Until when a failed intent is looked at. */
export function recoverableUntilMs(ending: Ending): number {
  return ending.recordedAtMs + recoveryMs;
}

/** When the payout of a funded intent is overdue. */
export function overdueAtMs(state: IntentState): number | null {
  const { paidAtMs, fundedAtMs } = state.sightings;
  const fromMs = paidAtMs ?? fundedAtMs;
  return fromMs === null ? null : fromMs + state.terms.overdueAfterSeconds * 1_000;
}

function observe(state: IntentState, sight: Sight): IntentState {
  const { record, seenAtMs } = sight;
  const before = state.sightings;
  if (state.attachedAtMs === null || isOld(sight, before)) return state;
  const sightings = addSight(before, record, seenAtMs, state.attachedAtMs);
  return { ...state, sightings, judgement: judge(state, sightings, record) };
}

function isOld({ record, seenAtMs, mayBeLate }: Sight, { lastAtMs, updatedAtMs }: Sightings): boolean {
  if (lastAtMs !== null && seenAtMs < lastAtMs) return true;
  if (!mayBeLate || record.updatedAtMs === null || updatedAtMs === null) return false;
  return record.updatedAtMs < updatedAtMs;
}

/** What the transaction is, counts as told up to the first sight of funds; an anchor cannot unsay it afterwards. */
function judge(state: IntentState, after: Sightings, record: TransactionRecord): Judgement {
  const { sightings: before, terms } = state;
  let { unscoredReason, amountIn } = state.judgement;
  if (before.fundedAtMs === null) {
    const first = before.firstAtMs === null;
    const late = first && after.fundedAtMs !== null;
    unscoredReason =
      identityFault(record, terms, first ? undefined : unscoredReason) ??
      (late ? 'seen_after_payment' : null);
  }
  if (after.fundedAtMs !== null && amountIn === null && record.amountIn !== null) {
    amountIn = record.amountIn;
    if (!isAnnouncedAmount(amountIn, terms.sellAmount)) unscoredReason ??= 'amount_mismatch';
  }
  return { unscoredReason, amountIn };
}

function endOf(
  state: IntentState,
  record: TransactionRecord | null,
  nowMs: number,
  { failureGraceMs }: TransitionLimits,
): [Ending['status'], OutcomeReason] | null {
  const { sightings: seen, attachedAtMs, deadlineMs } = state;
  const stands = (sinceMs: number) => nowMs - sinceMs >= failureGraceMs;
  if (record?.refunded) return ['failed', 'refunded'];
  if (seen.completedSeenAtMs !== null) {
    if (record !== null && namesPayout(record)) return ['settled', 'completed'];
    return stands(seen.completedSeenAtMs) ? ['failed', 'unproven'] : null;
  }
  if (seen.closedSinceMs !== null) {
    if (seen.fundedAtMs !== null) return stands(seen.closedSinceMs) ? ['failed', 'error'] : null;
    return seen.status === 'expired' || stands(seen.closedSinceMs) ? ['expired', 'abandoned'] : null;
  }
  if (seen.readyAtMs !== null) {
    return nowMs - seen.readyAtMs >= pickUpMs ? ['expired', 'not_collected'] : null;
  }
  const overdueMs = overdueAtMs(state);
  if (overdueMs !== null) {
    // Seen open when it was overdue; or not heard of for as long as a failure must stand.
    const seenOpen = (seen.lastAtMs ?? 0) >= overdueMs;
    return (seenOpen && nowMs >= overdueMs) || stands(overdueMs) ? ['failed', 'overdue'] : null;
  }
  if (attachedAtMs === null) return nowMs >= deadlineMs ? ['expired', 'no_transaction'] : null;
  return nowMs >= deadlineMs + lateFundsMs ? ['expired', 'never_funded'] : null;
}

/**
 * A failed intent that its anchor completes in time becomes settled: once, since settled is final. What is judged of
 * a failure stays as it is: it is not made to vanish by a later reading, nor by a completion that would not count.
 */
function recover(
  seen: IntentState,
  before: IntentState,
  record: TransactionRecord | null,
  nowMs: number,
): IntentState {
  const failed = { ...seen, judgement: before.judgement };
  const failure = seen.ending;
  const completed = record !== null && seen.sightings.completedSeenAtMs !== null && namesPayout(record);
  if (failure === null || !completed || nowMs > recoverableUntilMs(failure)) return failed;
  const recovered = end(seen, record, {
    status: 'settled',
    reason: 'recovered',
    recordedAtMs: failure.recordedAtMs,
    recoveredAtMs: nowMs,
  });
  const vanishes = before.judgement.unscoredReason === null && recovered.judgement.unscoredReason !== null;
  return vanishes ? failed : recovered;
}

function end(
  state: IntentState,
  record: TransactionRecord | null,
  ending: Omit<Ending, 'settleSeconds' | 'shortfallPpb'>,
): IntentState {
  if (ending.status !== 'settled' || record === null) {
    return { ...state, ending: { ...ending, settleSeconds: null, shortfallPpb: null } };
  }
  const { judgement, sightings, terms, attachedAtMs } = state;
  const amountIn = larger(judgement.amountIn, record.amountIn);
  const missing = amountIn === null ? 'amount_missing' : null;
  return {
    ...state,
    judgement: { ...judgement, unscoredReason: judgement.unscoredReason ?? missing },
    ending: {
      ...ending,
      settleSeconds: settleSeconds(sightings, attachedAtMs ?? terms.createdAtMs),
      shortfallPpb:
        amountIn === null || record.amountOut === null
          ? null
          : shortfallPpb({ amountIn, amountOut: record.amountOut, quote: terms.quote }),
    },
  };
}

function namesPayout(record: TransactionRecord): boolean {
  return record.amountOut !== null && !new Decimal(record.amountOut).isZero();
}

function larger(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return new Decimal(b).gt(a) ? b : a;
}
