import pLimit from 'p-limit';
import type { Emit } from '../../deliveries/deliveries.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock } from '../../ports.js';
import { type IncomingCallback, takeCallback } from './callbacks.rules.js';
import type { IntentDocument } from './intent-document.js';
import { toFields, toState } from './intent-state.rules.js';
import { nextLookMs } from './next-look.rules.js';
import type { Dialect } from './status-table.rules.js';
import type { IntentModel } from './store.js';
import { type Sight, type TransitionLimits, transition } from './transition.rules.js';

/** What was heard of an intent: by poll, by callback, or nothing but time going by. */
export interface Report {
  sight: Sight | null;
  /** The server that told it. */
  dialect?: Dialect;
  callback?: IncomingCallback;
  /** Whether the transaction can be polled, which decides when to look again; a callback does not know. */
  pollable?: boolean;
  /** Where it is a job that reports: its transactions are fenced by the lease. */
  lease?: HeldLease;
}

/** What a report came to. `applied`: it was new; `before` and `after` differ where it was a transition. */
export interface Progress {
  applied: boolean;
  before: IntentDocument['status'];
  after: IntentDocument['status'];
}

/** Brings what was heard to an intent. Undefined where there is no such intent. */
export type MakeProgress = (intentHash: string, report: Report) => Promise<Progress | undefined>;

const maxTries = 8;

export class ContendedIntentError extends Error {
  constructor(intentHash: string) {
    super(`intent ${intentHash} was changed by others ${maxTries} times while a report was brought to it`);
    this.name = 'ContendedIntentError';
  }
}

/**
 * The one writer of transitions. Each try reads the intent, applies the pure transition function and writes the result
 * only if nobody wrote in between (version); so of any number of processes that see the same, one writes it. A change
 * of status, its mark for the folder and its event are one transaction: all of them or none, whenever we die.
 */
export function createMakeProgress(deps: {
  model: IntentModel;
  inTransaction: InTransaction;
  writeEvent: Emit;
  clock: Clock;
  limits: TransitionLimits;
}): MakeProgress {
  const { model, inTransaction, writeEvent, clock, limits } = deps;
  // Every transaction of a job updates its one lease document: side by side they would only conflict.
  const fenced = pLimit(1);

  async function attempt(intent: IntentDocument, report: Report): Promise<Progress | undefined> {
    const unchanged = { applied: false, before: intent.status, after: intent.status };
    const callbacks = report.callback === undefined ? null : takeCallback(intent.callbacks, report.callback);
    if (!intent.open || (report.callback !== undefined && callbacks === null)) return unchanged;

    const nowMs = clock();
    const state = transition(toState(intent), report.sight, nowMs, limits);
    const fields = toFields(state);
    const dueMs = nextLookMs(state, nowMs, report.pollable ?? true, limits);
    // A callback may bring the next look forward; only a look itself puts it off.
    const due = Math.min(dueMs ?? 0, report.callback === undefined ? Infinity : intent.due.getTime());
    const turned = fields.status !== intent.status;
    const change = {
      $set: {
        ...fields,
        open: dueMs !== null,
        due: new Date(due),
        ...(report.dialect === undefined ? {} : { dialect: report.dialect }),
        ...(callbacks === null ? {} : { callbacks }),
        ...(turned ? { unfolded: true } : {}),
      },
      $inc: { version: 1 },
    };
    const written = turned
      ? await writeTransition(intent, fields.status, change, report.lease)
      : (await model.updateOne(unlessChanged(intent), change)).matchedCount === 1;
    return written ? { applied: true, before: intent.status, after: fields.status } : undefined;
  }

  function writeTransition(
    intent: IntentDocument,
    status: IntentDocument['status'],
    change: object,
    lease: HeldLease | undefined,
  ): Promise<boolean> {
    const write = () =>
      inTransaction(async (session) => {
        await lease?.fence(session);
        const result = await model.updateOne(unlessChanged(intent), change, { session });
        if (result.matchedCount !== 1) return false;
        if (status === 'settled' || status === 'failed') {
          const { _id: intentHash, anchorId, corridor, sellAmount: amount } = intent;
          await writeEvent(session, `intent.${status}`, { intentHash, anchorId, corridor, amount, status });
        }
        return true;
      });
    return lease === undefined ? write() : fenced(write);
  }

  return async (intentHash, report) => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const intent = await model.findById(intentHash).lean<IntentDocument>();
      if (intent === null) return undefined;
      const progress = await attempt(intent, report);
      if (progress !== undefined) return progress;
    }
    throw new ContendedIntentError(intentHash);
  };
}

function unlessChanged(intent: IntentDocument) {
  return { _id: intent._id, version: intent.version };
}
