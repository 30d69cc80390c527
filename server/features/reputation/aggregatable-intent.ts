/** How an intent ended, as the transition wrote it; the folder derives what it contributes to the roll-ups. */
export interface IntentOutcome {
  kind: 'settled' | 'failed' | 'expired';
  /** Why: `completed`, `refunded`, `error`, `overdue`, `unproven`, `never_funded`, … */
  reason: string;
  /** When the outcome was recorded here; its UTC day is the day it counts on. A recovery keeps the first day. */
  recordedAt: Date;
  /** Whole seconds from payment to pay-out, clamped between our sights of it (docs/intents.md); null where it did not settle. */
  settleSeconds: number | null;
  /** Parts per 10⁹ by which the pay-out fell short of the anchor's own quote; null without such a quote. */
  shortfallPpb: number | null;
}

/** What an accepted dispute makes of the outcome. */
export type DisputeEffect = 'counts_not_filled' | 'counts_filled' | 'not_counted';

/** The part of an intent document that reputation reads and writes. The intents feature owns the rest. */
export interface AggregatableIntent {
  /** intentHash */
  _id: string;
  anchorId: string;
  corridor: string;
  /** Canonical G… account. */
  account: string;
  sellAmount: string;
  outcome: IntentOutcome | null;
  /** False with a reason where the intent follows a transaction that must not count. */
  scored: boolean;
  unscoredReason: string | null;
  disputeEffect: DisputeEffect | null;
  /** Set by every write that may change the contribution; cleared by the folder in the transaction that counts it. */
  unfolded: boolean;
  /** What the roll-ups hold of this intent now; null: nothing. Written by the folder only. */
  counted: Contribution | null;
  /**
   * Whether it is among the first outcomes of its account-day that may count. Decided once, when it is first folded,
   * and kept as a fact, so that a rebuild finds the same. Null until then. Written by the folder only.
   */
  admission: Admission | null;
}

export interface Admission {
  /** UTC day of the account-day it was decided for. */
  day: string;
  admitted: boolean;
}

/** Integers only: the difference of two contributions is what the folder adds to the roll-ups. */
export interface Contribution {
  /** UTC day, `2026-11-21`. */
  day: string;
  filled: 0 | 1;
  notFilled: 0 | 1;
  /** Index into the committed table of settle-second bounds; null where it was not filled or took unknown time. */
  settleBucket: number | null;
  shortfallPpb: number | null;
  acceptedDispute: 0 | 1;
}
