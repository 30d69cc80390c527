import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import type { OracleRecord } from './oracle-record.rules.js';

/** Failures after which nothing is published until a person has seen to the log. */
const logFailures: readonly TickFailure[] = ['log_behind', 'log_restored'];

/** Whether publishing is stopped because the log may lack batches that others have. */
export function isLogFailure(failure: TickFailure | null): boolean {
  return failure !== null && logFailures.includes(failure);
}

/** What the oracle's record says of the log that ends with `head`. */
export type OracleWord =
  /** It has this head and nothing after it. */
  | { kind: 'whole' }
  /** It has a later batch, or another one in the place of the head. */
  | { kind: 'behind'; detail: string }
  | { kind: 'away'; failure: TickFailure; detail: string }
  /** It does not show what it has. */
  | { kind: 'silent' };

/**
 * `next` is the record of the sequence after the head, `own` that of the head itself; null for an empty log. The oracle
 * takes each sequence once and in order: where it has not taken the next one, nobody has a later one from it. An
 * oracle that shows nothing answers 404, too, so its `absent` counts only if it shows the head, which it has taken. Of an
 * empty log it shows no head, so there it is silent.
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
 * Where no oracle tells, the identity of the collection does: a collection that was restored from a dump has another
 * one than was noted in it. `noted` is null before the first note, as in data of an earlier release.
 */
export function isRestored(noted: string | null, identity: string | null): boolean {
  return noted !== null && noted !== identity;
}
