import { setTimeout as delay } from 'node:timers/promises';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import { type BackoffPolicy, backoffMs } from '../../jobs/backoff.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { Emit } from '../../webhooks/outbox.js';
import { headOf } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import type { Oracle, Submission } from './oracle.js';
import { type OracleFailure, whatTheLogLacks } from './oracle-answer.rules.js';

export interface RetryPolicy extends BackoffPolicy {
  /** Within one tick; the next tick starts again from the first attempt. */
  attempts: number;
}

export const defaultRetry: RetryPolicy = { attempts: 4, baseMs: 500, factor: 3, maxMs: 5_000, jitter: 0.2 };

export interface Submitter {
  /** Why the log must not be continued now, by what the oracle has; null if it may, and without an oracle. */
  doubt(lease: HeldLease, latest: BatchDocument | null): Promise<TickFailure | null>;
  /** Submits one batch until it has a receipt, or returns why not. The batches before it must have receipts. */
  submit(lease: HeldLease, batch: BatchDocument): Promise<TickFailure | null>;
  /** Writes the event of a batch. */
  announce(session: ClientSession, batch: BatchDocument, outcome: { submitted: boolean }): Promise<void>;
}

export function createSubmitter(deps: {
  batches: BatchStore;
  inLeasedTransaction: InLeasedTransaction;
  writeEvent: Emit;
  oracle: Oracle | undefined;
  retry: RetryPolicy;
  clock: Clock;
  random: Random;
  logger: Logger;
}): Submitter {
  const { batches, inLeasedTransaction, oracle, retry, clock, random, logger } = deps;

  /** Asks until there is an answer, as often as the policy says. */
  async function insist<T extends object>(
    { signal }: HeldLease,
    ask: () => Promise<T | OracleFailure>,
    fields: object,
  ): Promise<T | OracleFailure> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await untilAborted(signal, ask);
      if (!('failure' in outcome)) return outcome;
      const { failure, retryable, detail } = outcome;
      const level = retryable ? 'warn' : 'error';
      logger[level]({ ...fields, attempt, failure, detail }, 'the oracle does not do what it was asked for');
      const waitMs = Math.max(outcome.waitMs, backoffMs(attempt, retry, random));
      if (attempt >= retry.attempts || !retryable || outcome.waitMs > retry.maxMs) return outcome;
      await delay(waitMs, undefined, { signal });
    }
  }

  async function toSubmission({ _id, header, headerHash, signature, publicKey }: BatchDocument) {
    const texts = await batches.readEntries(_id, 0, header.size);
    const head = JSON.stringify({ header, signature, publicKey }).slice(0, -1);
    const body = `${head},"entries":[${texts.join(',')}]}`;
    return { sequence: _id, headerHash, size: header.size, body } satisfies Submission;
  }

  const submitter: Submitter = {
    async doubt(lease, latest) {
      if (oracle === undefined) return null;
      const answer = await insist(lease, oracle.head, { asked: 'head' });
      if ('failure' in answer) return answer.failure;
      const lack = 'silent' in answer ? null : whatTheLogLacks(headOf(latest), answer.head);
      if (lack === null) return null;
      logger.error({ latest: latest?._id ?? 0, lack }, 'the log lacks batches that the oracle has');
      return 'log_behind';
    },

    async submit(lease, batch) {
      if (oracle === undefined) return null;
      const submission = await toSubmission(batch);
      const outcome = await insist(lease, () => oracle.submit(submission), { sequence: batch._id });
      if ('failure' in outcome) return outcome.failure;
      const submittedAt = new Date(clock());
      await inLeasedTransaction(lease, async (session) => {
        if (!(await batches.saveReceipt(session, batch._id, outcome.receipt, submittedAt))) return;
        await submitter.announce(session, batch, { submitted: true });
      });
      return null;
    },

    async announce(session, { _id, header, headerHash }, { submitted }) {
      const { root, size } = header;
      await deps.writeEvent(session, 'publisher.tick', { sequence: _id, root, headerHash, size, submitted });
    },
  };
  return submitter;
}
