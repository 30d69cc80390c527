import { setTimeout as delay } from 'node:timers/promises';
import type { TickFailure } from '../../../contract/schemas/publisher.js';
import type { BatchHead } from '../../../contract/verification/verify-batch.js';
import { backoffMs } from '../../jobs/backoff.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import type { Logger, Random } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import { headOf } from './batch.rules.js';
import type { BatchStore } from './batch-store.js';
import { isRestored, type OracleWord, oracleWord } from './continuity.rules.js';
import type { OracleRecords } from './oracle-record.js';
import type { RetryPolicy } from './submitter.js';
import type { TickStore } from './tick-store.js';

/** Determines whether the log contains everything that was ever published, so that no sequence is used twice. */
export interface Continuity {
  /** Why the log must not be continued now; null if it may. */
  doubt(lease: HeldLease): Promise<TickFailure | null>;
}

/**
 * A database that was restored from a backup lacks the batches that were published since, while others have them. The
 * oracle's record shows that; without one, the identity of the collection shows whether a dump was restored.
 */
export function createContinuity(deps: {
  batches: BatchStore;
  ticks: TickStore;
  inLeasedTransaction: InLeasedTransaction;
  /** Undefined without an oracle. */
  records: Pick<OracleRecords, 'read'> | undefined;
  retry: RetryPolicy;
  random: Random;
  logger: Logger;
}): Continuity {
  const { batches, ticks, inLeasedTransaction, records, retry, logger } = deps;

  async function note(lease: HeldLease, noted: string | null, identity: string | null): Promise<null> {
    if (noted !== identity) {
      await inLeasedTransaction(lease, (session) => ticks.noteLog(session, identity));
    }
    return null;
  }

  /** Asks again while the oracle cannot be reached, as many times as the submission of a batch is tried. */
  async function insist(head: BatchHead | null, signal: AbortSignal): Promise<OracleWord> {
    if (records === undefined) return { kind: 'silent' };
    for (let attempt = 1; ; attempt += 1) {
      const word = await askOracle(records, head, signal);
      if (word.kind !== 'away' || attempt >= retry.attempts) return word;
      await delay(backoffMs(attempt, retry, deps.random), undefined, { signal });
    }
  }

  return {
    async doubt(lease) {
      const head = headOf(await batches.latest());
      const word = await insist(head, lease.signal);
      if (word.kind === 'away') {
        logger.warn({ failure: word.failure, detail: word.detail }, 'the oracle does not say what it has');
        return word.failure;
      }
      const sequence = head?.sequence ?? 0;
      if (word.kind === 'behind') {
        logger.error({ latest: sequence, detail: word.detail }, 'the log lacks batches that the oracle has');
        return 'log_behind';
      }
      const [{ log: noted }, identity] = await Promise.all([ticks.read(), batches.identity()]);
      if (word.kind === 'silent' && isRestored(noted, identity)) {
        logger.error({ latest: sequence }, 'the log was restored from a dump, and may lack batches');
        return 'log_restored';
      }
      return note(lease, noted, identity);
    },
  };
}

/** What the oracle's record shows about the log that ends with this head. */
export async function askOracle(
  records: Pick<OracleRecords, 'read'>,
  head: BatchHead | null,
  signal: AbortSignal,
): Promise<OracleWord> {
  const read = (sequence: number) => untilAborted(signal, () => records.read(sequence));
  const next = await read((head?.sequence ?? 0) + 1);
  const own = head === null || next.kind !== 'absent' ? null : await read(head.sequence);
  return oracleWord(head, next, own);
}
