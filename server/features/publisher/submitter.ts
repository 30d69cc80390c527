import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { Emit } from '../../webhooks/outbox.js';
import { headOf } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import type { Oracle, Submission } from './oracle.js';
import { type OracleFailure, whatTheLogLacks } from './oracle-answer.rules.js';

export type Submitter = ReturnType<typeof createSubmitter>;

/** Asks the oracle each question once: what fails is tried again by the next tick. */
export function createSubmitter(deps: {
  batches: BatchStore;
  inLeasedTransaction: InLeasedTransaction;
  writeEvent: Emit;
  oracle: Oracle | undefined;
  clock: Clock;
  logger: Logger;
}) {
  const { batches, oracle, logger } = deps;

  /** A refusal needs a person; whatever else it is may heal by itself. */
  function told({ failure, detail }: OracleFailure, fields: object): TickFailure {
    const level = failure === 'oracle_refused' ? 'error' : 'warn';
    logger[level]({ ...fields, failure, detail }, 'the oracle does not do what it was asked for');
    return failure;
  }

  async function toSubmission(batch: BatchDocument): Promise<Submission> {
    const { _id: sequence, header, headerHash, signature, publicKey } = batch;
    const texts = await batches.readEntries(sequence, 0, header.size);
    const head = JSON.stringify({ header, signature, publicKey }).slice(0, -1);
    return { sequence, headerHash, size: header.size, body: `${head},"entries":[${texts.join(',')}]}` };
  }

  /** Writes the event of a batch. */
  async function announce(session: ClientSession, batch: BatchDocument, submitted: boolean): Promise<void> {
    const { _id: sequence, header, headerHash } = batch;
    const { root, size } = header;
    await deps.writeEvent(session, 'publisher.tick', { sequence, root, headerHash, size, submitted });
  }

  return {
    announce,

    /** Why the log must not be continued now, by what the oracle has; null if it may, and without an oracle. */
    async doubt({ signal }: HeldLease, latest: BatchDocument | null): Promise<TickFailure | null> {
      if (oracle === undefined) return null;
      const answer = await untilAborted(signal, oracle.head);
      if ('failure' in answer) return told(answer, { asked: 'head' });
      const lack = 'silent' in answer ? null : whatTheLogLacks(headOf(latest), answer.head);
      if (lack === null) return null;
      logger.error({ latest: latest?._id ?? 0, lack }, 'the log lacks batches that the oracle has');
      return 'log_behind';
    },

    /** Submits one batch, or returns why it has no receipt. The batches before it must have receipts. */
    async submit(lease: HeldLease, batch: BatchDocument): Promise<TickFailure | null> {
      if (oracle === undefined) return null;
      const submission = await toSubmission(batch);
      const answer = await untilAborted(lease.signal, () => oracle.submit(submission));
      if ('failure' in answer) return told(answer, { sequence: batch._id });
      const submittedAt = new Date(deps.clock());
      await deps.inLeasedTransaction(lease, async (session) => {
        if (await batches.saveReceipt(session, batch._id, answer.receipt, submittedAt))
          await announce(session, batch, true);
      });
      return null;
    },
  };
}
