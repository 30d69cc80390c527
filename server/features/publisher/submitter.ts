import { setTimeout as delay } from 'node:timers/promises';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import { type BackoffPolicy, backoffMs } from '../../jobs/backoff.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { Emit } from '../../webhooks/outbox.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import type { Submission, SubmitToOracle } from './oracle.js';

export interface RetryPolicy extends BackoffPolicy {
  /** Within one tick; the next tick starts again from the first attempt. */
  attempts: number;
}

export const defaultRetry: RetryPolicy = { attempts: 4, baseMs: 500, factor: 3, maxMs: 5_000, jitter: 0.2 };

/** About 1 MB per read, so that each has its own time limit. */
const chunksPerRead = 8;

export interface Submitter {
  /** Submits one batch until it has a receipt, or returns why not. The batches before it must have receipts. */
  submit(lease: HeldLease, batch: BatchDocument): Promise<TickFailure | null>;
  /** Writes the event of a batch if there is no oracle to wait for. */
  announce(lease: HeldLease, batch: BatchDocument): Promise<void>;
}

/**
 * Before every attempt the lease is checked by a transaction under it. A holder that loses its lease after that sends a
 * committed batch, which the oracle accepts or has accepted (it is idempotent by header hash), and cannot store the
 * receipt.
 */
export function createSubmitter(deps: {
  batches: BatchStore;
  inLeasedTransaction: InLeasedTransaction;
  writeEvent: Emit;
  submitToOracle: SubmitToOracle | undefined;
  retry: RetryPolicy;
  clock: Clock;
  random: Random;
  logger: Logger;
}): Submitter {
  const { batches, inLeasedTransaction, submitToOracle, retry, clock, logger } = deps;

  async function toSubmission({ _id, header, headerHash, signature, publicKey, attempt }: BatchDocument) {
    const texts: string[] = [];
    for (let from = 0; texts.length < header.size; from += chunksPerRead) {
      const chunks = await batches.listChunks(attempt, from, from + chunksPerRead - 1);
      if (chunks.length === 0) throw new Error(`batch ${_id} has lost its entries`);
      for (const { entries } of chunks) texts.push(...entries);
    }
    const head = JSON.stringify({ header, signature, publicKey }).slice(0, -1);
    const body = `${head},"entries":[${texts.join(',')}]}`;
    return { sequence: _id, headerHash, size: header.size, body } satisfies Submission;
  }

  async function proveLease(lease: HeldLease): Promise<void> {
    lease.signal.throwIfAborted();
    await inLeasedTransaction(lease, async () => undefined);
  }

  async function storeReceipt(lease: HeldLease, batch: BatchDocument, receipt: OracleReceipt): Promise<void> {
    const submittedAt = new Date(clock());
    await inLeasedTransaction(lease, async (session) => {
      if (!(await batches.saveReceipt(session, batch._id, receipt, submittedAt))) return;
      await deps.writeEvent(session, 'publisher.tick', { ...eventOf(batch), submitted: true });
    });
  }

  return {
    async submit(lease, batch) {
      if (submitToOracle === undefined) return null;
      const submission = await toSubmission(batch);
      for (let attempt = 1; ; attempt += 1) {
        await proveLease(lease);
        const outcome = await untilAborted(lease.signal, () => submitToOracle(submission));
        if ('receipt' in outcome) {
          await storeReceipt(lease, batch, outcome.receipt);
          return null;
        }
        const { failure, retryable, detail } = outcome;
        const waitMs = Math.max(outcome.waitMs, backoffMs(attempt, retry, deps.random));
        const last = attempt >= retry.attempts || !retryable || outcome.waitMs > retry.maxMs;
        const fields = { sequence: batch._id, attempt, failure, detail };
        if (!retryable) logger.error(fields, 'the oracle does not take the batch');
        else logger.warn(fields, 'the oracle gave no receipt');
        if (last) return failure;
        await delay(waitMs, undefined, { signal: lease.signal });
      }
    },

    async announce(lease, batch) {
      await inLeasedTransaction(lease, async (session) => {
        if (!(await batches.markAnnounced(session, batch._id))) return;
        await deps.writeEvent(session, 'publisher.tick', { ...eventOf(batch), submitted: false });
      });
    },
  };
}

function eventOf({ _id, header, headerHash }: BatchDocument) {
  return { sequence: _id, root: header.root, headerHash, size: header.size };
}
