import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import {
  type BatchHead,
  type BatchHeader,
  type BatchKey,
  batchFaults,
  verifyBatch,
} from '../../../contract/verification/verify-batch.js';
import type { HeldLease, Leases } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import { headOf } from './batch.rules.js';
import type { Oracle } from './oracle.js';
import { whatTheLogLacks } from './oracle-answer.rules.js';
import type { BatchStore } from './store.js';
import { contentOf, publisherLease, usualLeaseTtlMs } from './tick.js';

/** A published batch with all its entries in order, not verified yet. */
export interface WholeBatch {
  header: BatchHeader;
  signature: string;
  entries: object[];
}

/** A batch cannot be had, or does not verify; the message says which. What was taken before it stays. */
export class CannotTake extends Error {}

const maxKeys = 1_000;

/**
 * Takes the published batches that this database lacks, one after the other, each verified against the chain. The next tick
 * submits them again, gets their first receipts and writes their events. Throws CannotTake, and OutboundError where the
 * oracle does not answer.
 */
export function createTakeBatches(deps: {
  batches: BatchStore;
  leases: Pick<Leases, 'run'>;
  inLeasedTransaction: InLeasedTransaction;
  oracle: Oracle | undefined;
  /** The batches of a file. */
  file: readonly WholeBatch[];
  /** The configured keys, in addition to those that signed batches of this database. */
  keys: readonly BatchKey[];
}) {
  const { batches, oracle, file } = deps;

  async function take(lease: HeldLease): Promise<{ taken: number[]; head: BatchHead | null }> {
    const keys = [...deps.keys, ...(await batches.listKeys(maxKeys))];
    const taken: number[] = [];
    let head = headOf(await batches.latest());
    for (;;) {
      const batch = await find((head?.sequence ?? 0) + 1);
      if (batch === null) break;
      head = await insert(lease, batch, head, keys);
      taken.push(head.sequence);
    }
    await compareWithOracle(head);
    return { taken, head };
  }

  async function find(sequence: number): Promise<WholeBatch | null> {
    const filed = file.find(({ header }) => header.sequence === sequence);
    if (filed !== undefined || oracle === undefined) return filed ?? null;
    const batch = await oracle.batch(sequence);
    if (batch === null) return null;
    const entries = await oracle.entries(sequence);
    if (entries === null)
      throw new CannotTake(`The oracle has batch ${sequence} and does not show its entries.`);
    return { ...batch, entries };
  }

  async function insert(
    lease: HeldLease,
    { header, signature, entries }: WholeBatch,
    previous: BatchHead | null,
    keys: readonly BatchKey[],
  ): Promise<BatchHead> {
    const { sequence } = header;
    const verdict = verifyBatch({ header, signature, entries, keys, previous });
    if (!verdict.ok) throw new CannotTake(`Batch ${sequence}: ${batchFaults[verdict.reason]}`);
    // Verified entries are cards, since they were signed as such.
    const content = await contentOf(entries as ScoreCard[], lease.signal);
    if (content.root !== header.root)
      throw new CannotTake(`Batch ${sequence}: its entries are not in order.`);
    const publicKey = keys.find(({ keyId }) => keyId === header.keyId)?.publicKey ?? '';
    const signed = { header, signature, publicKey };
    await deps.inLeasedTransaction(lease, (session) => batches.insert(session, signed, content.entries));
    return { sequence, headerHash: verdict.headerHash };
  }

  async function compareWithOracle(head: BatchHead | null): Promise<void> {
    const answer = (await oracle?.head()) ?? { silent: true };
    if ('failure' in answer) throw new CannotTake(`The oracle does not say what it has: ${answer.detail}`);
    const lack = 'silent' in answer ? null : whatTheLogLacks(head, answer.head);
    if (lack !== null) throw new CannotTake(`The log ends with batch ${head?.sequence ?? 0}; ${lack}.`);
  }

  return () => deps.leases.run(publisherLease, usualLeaseTtlMs, take);
}
