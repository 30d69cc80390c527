import { setTimeout as delay } from 'node:timers/promises';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { OracleReceipt } from '../../../contract/verification/verify-receipt.js';
import type { Emit } from '../../deliveries/deliveries.js';
import { type BackoffPolicy, backoffMs } from '../../jobs/backoff.js';
import type { HeldLease } from '../../mongo/leases.js';
import { untilAborted } from '../../outbound/until-aborted.js';
import type { Logger, Random } from '../../ports.js';
import type { Fenced } from './fenced.js';
import type { Submission, SubmitToOracle } from './oracle.js';
import type { OnStep } from './steps.js';
import type { BatchRow, ChunkRow, PublisherStore } from './store.js';

export interface RetryPolicy extends BackoffPolicy {
  /** Within one tick; the next tick begins anew. */
  attempts: number;
}

export const defaultRetry: RetryPolicy = { attempts: 4, baseMs: 500, factor: 3, maxMs: 5_000, jitter: 0.2 };

/** About 1 MB, so that every read has its own time limit. */
const chunksPerRead = 8;

export interface Submitter {
  /** Submits one batch until it has a receipt, or says why not. The batches before it must have theirs. */
  submit(lease: HeldLease, batch: BatchRow): Promise<TickFailure | null>;
  /** Writes the event of a batch where there is no oracle to wait for. */
  announce(lease: HeldLease, batch: BatchRow): Promise<void>;
}

/**
 * Before every attempt the lease is proved by a fenced write, and by the time passed since, so that a holder that was
 * taken over submits nothing more, not even where it was stopped between that write and the POST. One whose POST was
 * under way already has sent a committed batch, which the oracle, idempotent by header hash, takes or has taken; the
 * receipt can no longer be stored by it.
 */
export function createSubmitter(deps: {
  store: PublisherStore;
  fenced: Fenced;
  writeEvent: Emit;
  submitToOracle: SubmitToOracle | undefined;
  retry: RetryPolicy;
  random: Random;
  logger: Logger;
  onStep: OnStep;
}): Submitter {
  const { store, fenced, submitToOracle, retry, logger, onStep } = deps;

  async function toSubmission({ _id, header, headerHash, signature, publicKey, attempt }: BatchRow) {
    const texts: string[] = [];
    for (let from = 0; texts.length < header.size; from += chunksPerRead) {
      const chunks = await store.chunks
        .find({ attempt, index: { $gte: from, $lt: from + chunksPerRead } }, { entries: 1, _id: 0 })
        .sort({ index: 1 })
        .lean<Pick<ChunkRow, 'entries'>[]>();
      if (chunks.length === 0) throw new Error(`batch ${_id} has lost its entries`);
      for (const { entries } of chunks) texts.push(...entries);
    }
    const head = JSON.stringify({ header, signature, publicKey }).slice(0, -1);
    const body = `${head},"entries":[${texts.join(',')}]}`;
    return { sequence: _id, headerHash, size: header.size, body } satisfies Submission;
  }

  async function proveLease(lease: HeldLease): Promise<void> {
    lease.signal.throwIfAborted();
    await fenced(lease, async () => undefined);
    await onStep('submission_claimed');
  }

  async function storeReceipt(lease: HeldLease, batch: BatchRow, receipt: OracleReceipt): Promise<void> {
    const submittedAt = await store.now();
    await fenced(lease, async (session) => {
      await store.batches.updateOne(
        { _id: batch._id, open: true },
        { $set: { open: false, announced: true, receipt, submittedAt } },
        { session },
      );
      await deps.writeEvent(session, 'publisher.tick', { ...eventOf(batch), submitted: true });
    });
    await onStep('receipt_stored');
  }

  return {
    async submit(lease, batch) {
      if (submitToOracle === undefined) return null;
      const submission = await toSubmission(batch);
      for (let attempt = 1; ; attempt += 1) {
        await proveLease(lease);
        lease.throwIfLapsed();
        const outcome = await untilAborted(lease.signal, () => submitToOracle(submission));
        await onStep('oracle_answered');
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
      await fenced(lease, async (session) => {
        const { modifiedCount } = await store.batches.updateOne(
          { _id: batch._id, announced: false },
          { $set: { announced: true } },
          { session },
        );
        if (modifiedCount === 0) return;
        await deps.writeEvent(session, 'publisher.tick', { ...eventOf(batch), submitted: false });
      });
      await onStep('announced');
    },
  };
}

function eventOf({ _id, header, headerHash }: BatchRow) {
  return { sequence: _id, root: header.root, headerHash, size: header.size };
}
