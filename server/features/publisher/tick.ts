import type { TickAnswer, TickFailure, TickResult } from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { isUnchanged, maxEntries, nextHeader } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import { contentOf, type WriteBatch } from './batch-writer.js';
import { beginTick, endTick, type TickNote, type TickState } from './health.rules.js';
import { toPublished } from './log.js';
import type { Signer } from './signer.rules.js';
import type { Submitter } from './submitter.js';
import type { TickStore } from './tick-store.js';

/** One tick at a time, whichever instance it is on. */
export const publisherLease = 'publisher';

/** A backlog, for example after an oracle was configured late, is submitted in portions of this size. */
const maxSubmissions = 100;

interface Progress {
  result: TickResult | null;
  made: BatchDocument[];
  submitted: number[];
  failure: TickFailure | null;
}

export interface TickDeps {
  batches: BatchStore;
  ticks: TickStore;
  inLeasedTransaction: InLeasedTransaction;
  writeBatch: WriteBatch;
  submitter: Submitter;
  leases: Pick<Leases, 'run'>;
  /** The cards of window 30, in any order; one per anchor and corridor. */
  gatherCards: () => Promise<readonly ScoreCard[]>;
  /** If undefined, nothing is signed; batches that are already signed are still submitted. */
  signer: Signer | undefined;
  hasOracle: boolean;
  leaseTtlMs: number;
  clock: Clock;
  logger: Logger;
}

export type Tick = ReturnType<typeof createTick>;

/** Runs a tick under the lease; `ran: false` while another runs. Throws LeaseLostError when it is cut short. */
export function createTick(deps: TickDeps): () => Promise<LeaseOutcome<TickAnswer>> {
  const { batches, ticks, inLeasedTransaction, submitter, signer, hasOracle, clock, logger } = deps;

  async function run(lease: HeldLease): Promise<TickAnswer> {
    const startedAt = new Date(clock());
    // A tick that is still marked as running has died.
    await changeState(lease, (before) => beginTick(before, { token: lease.token, startedAt }));
    const progress: Progress = { result: null, made: [], submitted: [], failure: null };
    try {
      progress.result = await work(lease, progress);
    } catch (error) {
      await endBadly(lease, startedAt, error);
      throw lease.signal.aborted ? lease.signal.reason : error;
    }
    const { result, failure } = progress;
    const finishedAt = await noteEnd(lease, { startedAt, result, failure });
    return {
      startedAt: toInstant(startedAt),
      finishedAt: toInstant(finishedAt),
      result,
      batch: await publishedNow(progress.made.at(-1)),
      made: progress.made.map(({ _id }) => _id),
      submitted: progress.submitted,
      pending: hasOracle ? await batches.countWithoutReceipt() : 0,
      failure,
    };
  }

  /** Older batches first, because the oracle and the subscribers of the events follow the chain. */
  async function work(lease: HeldLease, progress: Progress): Promise<TickResult> {
    if (!(await submitOlder(lease, progress))) return 'held';
    if (signer === undefined) return 'no_key';
    const latest = await batches.latest();
    progress.failure = await submitter.doubt(lease, latest);
    if (progress.failure !== null) return 'held';
    const cards = await deps.gatherCards();
    if (cards.length > maxEntries) {
      logger.error({ cards: cards.length, maxEntries }, 'there are more score cards than a batch holds');
      progress.failure = 'too_many_entries';
      return 'held';
    }
    const content = await contentOf(cards, lease.signal);
    if (isUnchanged(content, latest)) return latest === null ? 'empty' : 'unchanged';
    const header = nextHeader(content, latest, { at: new Date(clock()), keyId: signer.keyId });
    const signed = { header, signature: signer.sign(header), publicKey: signer.publicKey };
    const batch = await deps.writeBatch(lease, content.entries, signed, async (session, written) => {
      // With an oracle, the event waits for the receipt.
      if (!hasOracle) await submitter.announce(session, written, false);
    });
    progress.made.push(batch);
    await submit(lease, batch, progress);
    return 'published';
  }

  /** Resolves to false if a batch still waits for its receipt. */
  async function submitOlder(lease: HeldLease, progress: Progress): Promise<boolean> {
    if (!hasOracle) return true;
    for (let count = 0; count < maxSubmissions; count += 1) {
      const oldest = await batches.oldestWithoutReceipt();
      if (oldest === null) return true;
      if (!(await submit(lease, oldest, progress))) return false;
    }
    return (await batches.oldestWithoutReceipt()) === null;
  }

  async function submit(lease: HeldLease, batch: BatchDocument, progress: Progress): Promise<boolean> {
    progress.failure = await submitter.submit(lease, batch);
    if (progress.failure !== null) return false;
    if (hasOracle) progress.submitted.push(batch._id);
    return true;
  }

  async function changeState(lease: HeldLease, next: (before: TickState) => TickState): Promise<void> {
    await inLeasedTransaction(lease, async (session) => ticks.save(session, next(await ticks.read(session))));
  }

  /** `note` is null for a tick that was stopped halfway. */
  async function noteEnd(lease: HeldLease, note: Omit<TickNote, 'finishedAt'> | null): Promise<Date> {
    const finishedAt = new Date(clock());
    await changeState(lease, (before) => endTick(before, note === null ? null : { ...note, finishedAt }));
    return finishedAt;
  }

  /** A tick cut short by a stop has not failed. If another instance holds the lease now, this write is refused like all. */
  async function endBadly(lease: HeldLease, startedAt: Date, error: unknown): Promise<void> {
    const cutShort = lease.signal.aborted || error instanceof LeaseLostError;
    const note = cutShort ? null : ({ startedAt, result: null, failure: 'internal' } as const);
    await noteEnd(lease, note).catch((failed: unknown) =>
      logger.warn({ err: failed }, 'the end of a failed tick was not noted'),
    );
  }

  /** The batch as it is stored now, with its receipt if it has one. */
  async function publishedNow(made: BatchDocument | undefined): Promise<TickAnswer['batch']> {
    const batch = made === undefined ? null : await batches.find(made._id);
    return batch === null ? null : toPublished(batch);
  }

  return () => deps.leases.run(publisherLease, deps.leaseTtlMs, run);
}
