import pLimit from 'p-limit';
import { type FailureReason, failureReasons } from '../../../../contract/schemas/intents.js';
import type { HeldLease } from '../../../mongo/leases.js';
import {
  type ClientSession,
  type InTransaction,
  type PauseBeforeTry,
  untilWritten,
} from '../../../mongo/transactions.js';
import { daysOf } from '../../../outcome-days.rules.js';
import type { Clock } from '../../../ports.js';
import type { Emit } from '../../../webhooks/outbox.js';
import type { MarkDays } from '../../reputation/count-days.js';
import { type IncomingCallback, takeCallback } from '../callback/status-callback.rules.js';
import { ownerElsewhere } from '../holder/ownership.rules.js';
import type { Passing } from '../holder/passing.js';
import type { Intent } from '../intent.js';
import { timesAfter } from '../polls/next-look.rules.js';
import type { IntentStore } from '../store.js';
import { isLookUp, type Learned, type TransitionLimits, transition } from './transition.rules.js';

/** What was learned about an intent: by a poll, by a callback, from the ledger, or only that time has passed. */
export interface Report {
  /** Null where only time has passed. */
  learned: Learned | null;
  /** The transaction that the report is about; the report is dropped if the intent follows another one by now. */
  about?: string | undefined;
  callback?: IncomingCallback;
  /** Whether the transaction can be polled, which decides when to check the intent again. A callback cannot tell. */
  pollable?: boolean;
  /** When the look was made; set where the report comes from a look. */
  polledAtMs?: number;
  /** Set where a job reports: its transactions are fenced by the lease. */
  lease?: HeldLease;
}

/** The result of a report. `applied`: the report was new. `before` and `after` differ where the status changed. */
export interface Progress {
  /** The intent that the report was applied to: another one than given, where the transaction passed to it. */
  intentHash: string;
  applied: boolean;
  before: Intent['status'];
  after: Intent['status'];
}

/** Applies a report to an intent. Undefined where there is no such intent. */
export type MakeProgress = (intentHash: string, report: Report) => Promise<Progress | undefined>;

/**
 * The only writer of `settled` and `failed`. Each try reads the intent, applies the pure transition function and writes
 * the result only if nobody wrote in between, so that one of any number of processes with the same observation writes it.
 * A change of an outcome, the mark of its day and its event are written in one transaction.
 */
export function createMakeProgress(deps: {
  store: Pick<IntentStore, 'findByHash' | 'findCurrent' | 'saveProgress'>;
  passing: Pick<Passing, 'passToSender'>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  markDays: MarkDays;
  /** Called when a ledger look-up becomes due for an intent that had none due. */
  onAttached: () => void;
  clock: Clock;
  pauseBeforeTry: PauseBeforeTry;
  limits: TransitionLimits;
}): MakeProgress {
  const { store, passing, inTransaction, writeEvent, markDays, clock, pauseBeforeTry, limits } = deps;
  // Every transaction of a job updates its one lease document: run concurrently they would only conflict.
  const oneAtATime = pLimit(1);

  /** Undefined where another writer came first. */
  async function attempt(before: Intent, report: Report): Promise<Progress | undefined> {
    const { learned, callback, lease } = report;
    const callbacks = callback === undefined ? before.callbacks : takeCallback(before.callbacks, callback);
    const isRepeat = callback !== undefined && callbacks === null;
    const about = report.about ?? recordOf(learned)?.id;
    const isStale = about !== undefined && about !== before.transactionId;
    const { _id, status } = before;
    // An intent that is not open any more still accepts the results of ledger look-ups.
    const isOver = !before.open && !isLookUp(learned);
    if (isOver || isRepeat || isStale) {
      return { intentHash: _id, applied: false, before: status, after: status };
    }

    const nowMs = clock();
    const next = transition(before, learned, nowMs, limits);
    // What the ledger shows is compared with the account of this intent alone, and decides nothing about another's.
    const sender = isLookUp(learned) ? null : ownerElsewhere(before, next.told?.from ?? null);
    if (sender !== null) {
      const passed = await inTurn(lease, () => passing.passToSender(before, sender, lease));
      if (passed === 'changed_meanwhile') return undefined;
      // If this process dies here, the new owner is due at once and is looked at again.
      if (passed !== 'no_claimant') return makeProgress(passed.owner, report);
    }
    const after: Intent = {
      ...next,
      ...timesAfter(before, next, report, nowMs, limits),
      callbacks,
      // Only unpaid intents keep their client: they cost nothing, so the polls of them are shared between clients.
      client: next.observations.fundedAtMs === null ? before.client : null,
    };
    if (!(await write(before, after, lease))) return undefined;
    if (before.lookUpDue === undefined && after.lookUpDue !== undefined) deps.onAttached();
    return { intentHash: _id, applied: true, before: status, after: after.status };
  }

  /** An outcome is written with the mark of its day and its event; all else, and an expiry, by a single update. */
  async function write(before: Intent, after: Intent, lease: HeldLease | undefined): Promise<boolean> {
    const isChanged = after.status !== before.status;
    const days =
      isChanged || after.outcome?.evidence !== before.outcome?.evidence ? daysOf(before, after) : [];
    if (days.length === 0) return store.saveProgress({ before, after });
    return inTurn(lease, () =>
      inTransaction(async (session) => {
        await lease?.fence(session);
        if (!(await store.saveProgress({ before, after }, session))) return false;
        await markDays(session, days);
        if (isChanged) await announce(session, after);
        return true;
      }),
    );
  }

  async function announce(session: ClientSession, intent: Intent): Promise<void> {
    const { _id: intentHash, anchorId, corridor, sellAmount: amount, status, outcome } = intent;
    if (status !== 'settled' && status !== 'failed') return;
    const data = { intentHash, anchorId, corridor, amount, status };
    const reason = outcome?.reason;
    if (isFailureReason(reason)) await writeEvent(session, 'intent.failed', { ...data, reason });
    else await writeEvent(session, 'intent.settled', data);
  }

  function inTurn<T>(lease: HeldLease | undefined, write: () => Promise<T>): Promise<T> {
    return lease === undefined ? write() : oneAtATime(write);
  }

  async function makeProgress(intentHash: string, report: Report): Promise<Progress | undefined> {
    const made = await untilWritten(pauseBeforeTry, async (tries) => {
      const intent = await (tries === 0 ? store.findByHash(intentHash) : store.findCurrent(intentHash));
      return intent === null ? 'no_intent' : attempt(intent, report);
    });
    return made === 'no_intent' ? undefined : made;
  }

  return makeProgress;
}

function recordOf(learned: Learned | null) {
  return learned !== null && typeof learned === 'object' && 'record' in learned ? learned.record : undefined;
}

function isFailureReason(reason: string | undefined): reason is FailureReason {
  return reason !== undefined && reason in failureReasons;
}
