import { Decimal } from 'decimal.js';
import type { OutcomeEvidence } from '../../../contract/schemas/intents.js';
import { utcDay } from '../../utc-day.rules.js';
import { settleBucketOf } from './settle-histogram.rules.js';

/** What the roll-ups hold of one intent. Whole numbers: the difference of two is what the aggregator adds. */
export interface Contribution {
  /** UTC day, `2026-11-21`. */
  day: string;
  filled: 0 | 1;
  notFilled: 0 | 1;
  /** Index into the table of settle-time bounds; null if the intent was not filled or took an unknown time. */
  settleBucket: number | null;
  shortfallPpb: number | null;
  acceptedDispute: 0 | 1;
  /** Filled, and payment and payout were observed one after the other. */
  timesKnown: 0 | 1;
  /** An outcome of an account that had its first one, with any anchor, less than 30 days before. */
  newAccount: 0 | 1;
  /** The payment was found on the ledger: only such outcomes count for formula v2. */
  verified: 0 | 1;
}

/**
 * Whether an intent is among the first outcomes of its account-day, which alone may count. Decided once, when it is
 * first aggregated, and kept, so that a rebuild comes to the same result.
 */
export interface Admission {
  /** The UTC day of the account-day it was decided for. */
  day: string;
  admitted: boolean;
  /** Whether the account was new on that day. Absent if it was not, or if this was decided before it was stored. */
  newAccount?: true;
}

/** The data of an intent that its contribution follows from. */
export interface JudgedIntent {
  sellAmount: string;
  outcome: {
    kind: 'settled' | 'failed' | 'expired';
    recordedAt: Date;
    settleSeconds: number | null;
    timesKnown?: boolean;
    shortfallPpb: number | null;
    /** The evidence for the outcome; absent: the anchor's word. */
    evidence?: OutcomeEvidence;
  } | null;
  scored: boolean;
  disputeEffect: 'counts_not_filled' | 'counts_filled' | 'not_counted' | null;
}

/** Intents below this many units of stablecoin count nowhere. */
export const leastAmount = '10';

/** How many outcomes per account, anchor, corridor and UTC day may count. */
export const admittedPerAccountDay = 3;

/** An account is new for this many days, beginning with the day of its first outcome. */
const newAccountDays = 30;

const wholePpb = 1_000_000_000;

/**
 * What an intent should add to the roll-ups, before the limit per account-day is applied; null: nothing. Settled counts
 * as filled, failed as not filled, expired and unverified not at all; an accepted dispute overrules them. An intent
 * that must not be scored, or of less than 10 units, counts nowhere, with or without a dispute.
 */
export function contributionOf(intent: JudgedIntent): Contribution | null {
  const { outcome, disputeEffect } = intent;
  if (outcome === null || !intent.scored || new Decimal(intent.sellAmount).lt(leastAmount)) return null;
  // If the payment could not be verified, only a verdict counts.
  if (outcome.evidence === 'unverified' && disputeEffect === null) return null;
  const countsAs = classOf(outcome.kind, disputeEffect);
  if (countsAs === 'none' && disputeEffect === null) return null;
  const filled = countsAs === 'filled';
  return {
    day: utcDay(outcome.recordedAt),
    filled: filled ? 1 : 0,
    notFilled: countsAs === 'not_filled' ? 1 : 0,
    settleBucket: filled && outcome.settleSeconds !== null ? settleBucketOf(outcome.settleSeconds) : null,
    shortfallPpb: filled && outcome.shortfallPpb !== null ? clampPpb(outcome.shortfallPpb) : null,
    acceptedDispute: disputeEffect === null ? 0 : 1,
    timesKnown: filled && outcome.timesKnown === true ? 1 : 0,
    newAccount: 0,
    verified: outcome.evidence === 'ledger' ? 1 : 0,
  };
}

/** The contribution once admission to the account-day is decided; null if the intent is not admitted. */
export function admittedContribution(
  wanted: Contribution | null,
  admission: Admission | null,
): Contribution | null {
  if (wanted === null || admission?.day !== wanted.day || !admission.admitted) return null;
  return isOutcome(wanted) && admission.newAccount === true ? { ...wanted, newAccount: 1 } : wanted;
}

/** Whether an account whose first outcome counted on `firstDay` is still new on `day`. Both are UTC days. */
export function isNewAccount(firstDay: string, day: string): boolean {
  return Date.parse(day) - Date.parse(firstDay) < newAccountDays * 86_400_000;
}

/** Whether two contributions add the same. A member that an older stored one lacks is the same as zero. */
export function sameContribution(wanted: Contribution | null, counted: Contribution | null): boolean {
  if (wanted === null || counted === null) return wanted === counted;
  const before: Partial<Contribution> = counted;
  return Object.entries(wanted).every(([key, value]) => {
    const member = before[key as keyof Contribution];
    return value === (member === undefined ? 0 : member);
  });
}

/** Whether it is one of the outcomes from which a score is computed. */
export function isOutcome(contribution: Contribution | null): boolean {
  return contribution !== null && contribution.filled + contribution.notFilled > 0;
}

function classOf(
  kind: NonNullable<JudgedIntent['outcome']>['kind'],
  effect: JudgedIntent['disputeEffect'],
): 'filled' | 'not_filled' | 'none' {
  switch (effect) {
    case 'counts_filled':
      return 'filled';
    case 'counts_not_filled':
      return 'not_filled';
    case 'not_counted':
      return 'none';
    case null:
      if (kind === 'settled') return 'filled';
      return kind === 'failed' ? 'not_filled' : 'none';
  }
}

function clampPpb(shortfallPpb: number): number {
  return Math.min(wholePpb, Math.max(0, Math.round(shortfallPpb)));
}
