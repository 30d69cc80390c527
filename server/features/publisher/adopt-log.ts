import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { parsePublicKey } from '../../../contract/verification/strkey.js';
import {
  type BatchHead,
  type BatchKey,
  batchFaults,
  verifyBatch,
} from '../../../contract/verification/verify-batch.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import { headOf } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import { type BatchWriter, type Gathered, gatherBatch, type SignedHeader } from './batch-writer.js';
import { type Archive, CannotAdopt, missingBatches, OracleAway, type WholeBatch } from './missing-batches.js';
import type { OracleRecords } from './oracle-record.js';
import { publisherLease } from './tick.js';
import type { TickStore } from './tick-store.js';

export interface AdoptOptions {
  /** The sequence of the last batch that was ever published, as an operator knows it; 0 if there was none. */
  head: number | undefined;
  /** Whether to withdraw a last batch that the oracle refuses because it has another one of that sequence. */
  dropRefused: boolean;
}

export interface AdoptReport {
  dropped: number | null;
  adopted: number[];
  head: BatchHead | null;
  /** Who confirms that nothing follows the head: the oracle (apart from what an archive has), or the operator. */
  wholeBy: 'oracle' | 'operator';
}

interface AdoptDeps {
  batches: BatchStore;
  ticks: TickStore;
  writer: BatchWriter;
  leases: Pick<Leases, 'run'>;
  inLeasedTransaction: InLeasedTransaction;
  records: OracleRecords | undefined;
  archive: Archive | undefined;
  /** The configured keys, in addition to those that signed batches of this database. */
  keys: readonly BatchKey[];
}

const leaseTtlMs = 30_000;
const maxKeys = 1_000;

/**
 * Restores the published batches that this database lacks, verifying each, and records that the log is complete. Throws
 * CannotAdopt or OracleAway; batches restored before that stay, since they are part of the chain.
 */
export function createAdoptLog(
  deps: AdoptDeps,
): (options: AdoptOptions) => Promise<LeaseOutcome<AdoptReport>> {
  const { batches, ticks, writer, records, archive } = deps;

  async function adopt(lease: HeldLease, options: AdoptOptions): Promise<AdoptReport> {
    const { attempt } = await ticks.read();
    if (attempt !== null) await writer.discard(lease, attempt);
    const latest = await batches.latest();
    const refused = await findRefused(latest, options);
    let head = headOf(refused === null ? latest : await batches.find(refused._id - 1));
    const source = await missingBatches({ head, last: options.head, records, archive, signal: lease.signal });
    const keys = [...deps.keys, ...(await batches.listKeys(maxKeys))];
    const adopted: number[] = [];
    let dropped: number | null = null;
    for (;;) {
      const batch = await source.next((head?.sequence ?? 0) + 1);
      if (batch === null) break;
      const verified = await verify(batch, head, keys, lease.signal);
      head = verified.head;
      if (refused !== null && head.sequence === refused._id) {
        // It is withdrawn only after its replacement is verified: it was public, and the oracle may be the wrong one.
        await writer.withdraw(lease, refused);
        dropped = refused._id;
      }
      await writer.adopt(lease, verified.content, verified.signed);
      adopted.push(head.sequence);
    }
    if (dropped !== (refused?._id ?? null)) {
      throw new OracleAway('The oracle no longer shows the batch for which it refuses the last one.');
    }
    const reached = head?.sequence ?? 0;
    if (options.head !== undefined && reached !== options.head) {
      throw new CannotAdopt(`The log ends with batch ${reached}, not with ${options.head}.`);
    }
    await source.confirm(head);
    const identity = await batches.identity();
    await deps.inLeasedTransaction(lease, (session) => ticks.noteLog(session, identity));
    return { dropped, adopted, head, wholeBy: source.wholeBy };
  }

  /** Checks a latest batch without a receipt, which may have been made after the restore with a sequence that was taken. */
  async function findRefused(
    latest: BatchDocument | null,
    options: AdoptOptions,
  ): Promise<BatchDocument | null> {
    if (records === undefined || latest === null || !latest.open) return null;
    const own = await records.read(latest._id);
    if (own.kind !== 'taken' || own.batch.receipt.headerHash === latest.headerHash) return null;
    if (options.dropRefused) return latest;
    throw new CannotAdopt(
      `The oracle has another batch ${latest._id}: this one was made after the restore and is refused. ` +
        'Withdraw it with --drop-refused.',
    );
  }

  return (options) => deps.leases.run(publisherLease, leaseTtlMs, (lease) => adopt(lease, options));
}

/** Throws CannotAdopt if the batch does not follow `previous`, or if no known key signed these entries. */
async function verify(
  { header, signature, entries }: WholeBatch,
  previous: BatchHead | null,
  keys: readonly BatchKey[],
  signal: AbortSignal,
): Promise<{ head: BatchHead; content: Gathered; signed: SignedHeader }> {
  const { sequence } = header;
  const result = verifyBatch({ header, signature, entries, keys, previous });
  if (!result.ok) throw new CannotAdopt(`Batch ${sequence}: ${result.reason}: ${batchFaults[result.reason]}`);
  const content = await gatherBatch(oneByOne(entries), signal);
  if (content.root !== header.root) throw new CannotAdopt(`Batch ${sequence}: its entries are not in order.`);
  return {
    head: { sequence, headerHash: result.headerHash },
    content,
    signed: { header, signature, publicKey: accountOf(header.keyId, keys) },
  };
}

/** The `G…` form of the trusted key that has verified a signature. */
function accountOf(id: string, keys: readonly BatchKey[]): string {
  const key = keys.find(({ keyId }) => keyId === id);
  if (key === undefined) throw new Error(`the key ${id} is not known`);
  return parsePublicKey(key.publicKey).account;
}

/** Verified entries are cards, perhaps by an earlier or later formula, but always with an anchor and a corridor. */
async function* oneByOne(entries: readonly object[]): AsyncGenerator<ScoreCard> {
  yield* entries as ScoreCard[];
}
