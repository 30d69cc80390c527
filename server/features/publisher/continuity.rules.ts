import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import type { OracleRecord } from './oracle-record.rules.js';

/** Failures after which nothing is published until a person has repaired the log. */
const logFailures: readonly TickFailure[] = ['log_behind', 'log_restored'];

/** Whether publishing is stopped because the log may lack batches that others have. */
export function isLogFailure(failure: TickFailure | null): boolean {
  return failure !== null && logFailures.includes(failure);
}

/** What the oracle's record shows about the log that ends with `head`. */
export type OracleWord =
  /** The oracle has this head and nothing after it. */
  | { kind: 'whole' }
  /** The oracle has a later batch, or another one with the sequence of the head. */
  | { kind: 'behind'; detail: string }
  | { kind: 'away'; failure: TickFailure; detail: string }
  /** The oracle does not show its record. */
  | { kind: 'silent' };

/**
 * `next` is the record of the sequence after the head, `own` that of the head itself; null for an empty log. The oracle
 * takes each sequence once and in order: if it has not taken the next one, it has no later one either. An oracle that does
 * not show its record also answers 404, so `absent` counts only if it shows the head, which it has taken. For an empty
 * log there is no head to show, so the result is `silent`.
 */
export function oracleWord(head: BatchHead | null, next: OracleRecord, own: OracleRecord | null): OracleWord {
  if (next.kind === 'taken') {
    return { kind: 'behind', detail: `the oracle has batch ${next.batch.header.sequence} already` };
  }
  if (next.kind === 'away') return next;
  if (next.kind === 'unreadable') return { kind: 'silent' };
  if (head === null || own === null) return { kind: 'silent' };
  if (own.kind === 'away') return own;
  if (own.kind !== 'taken') return { kind: 'silent' };
  if (own.batch.receipt.headerHash === head.headerHash) return { kind: 'whole' };
  return { kind: 'behind', detail: `the oracle has another batch ${head.sequence}` };
}

/**
 * Whether the log was restored from a dump, for use if no oracle shows its record: a restored collection has another
 * identity than the stored one. `noted` is null until one is stored, as in data of an earlier release.
 */
export function isRestored(noted: string | null, identity: string | null): boolean {
  return noted !== null && noted !== identity;
}
