import type { TickAnswer, TickFailure, TickResult } from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import { type Logger, toInstant } from '../../ports.js';
import { isUnchanged } from './batch.rules.js';
import type { BatchWriter } from './batch-writer.js';
import { gatherBatch } from './gather.js';
import type { Journal } from './journal.js';
import type { BatchLog } from './log.js';
import type { Signer } from './signer.rules.js';
import type { OnStep } from './steps.js';
import type { BatchRow } from './store.js';
import type { Submitter } from './submitter.js';

/** One tick at a time, whichever instance it is on. */
export const publisherLease = 'publisher';

/** A backlog, as after an oracle was configured late, is worked off in portions. */
const maxSubmissions = 100;

interface Progress {
  result: TickResult | null;
  batch: BatchRow | null;
  submitted: number[];
  failure: TickFailure | null;
}

/** Runs a tick under the lease; `ran: false` while another runs. Throws LeaseLostError when it is cut short. */
export type Tick = () => Promise<LeaseOutcome<TickAnswer>>;

export interface TickDeps {
  log: BatchLog;
  journal: Journal;
  writer: BatchWriter;
  submitter: Submitter;
  leases: Pick<Leases, 'run'>;
  gatherCards: () => AsyncIterable<ScoreCard>;
  formula: string;
  /** Undefined: nothing is signed; what is signed already is still submitted. */
  signer: Signer | undefined;
  hasOracle: boolean;
  leaseTtlMs: number;
  logger: Logger;
  onStep: OnStep;
}

export function createTick(deps: TickDeps): Tick {
  const { log, journal, writer, submitter, signer, logger, onStep } = deps;

  async function run(lease: HeldLease): Promise<TickAnswer> {
    const { startedAt, abandoned } = await journal.begin(lease);
    await onStep('tick_noted');
    const progress: Progress = { result: null, batch: null, submitted: [], failure: null };
    try {
      if (abandoned !== null) await writer.discard(lease, abandoned);
      progress.result = await work(lease, progress);
    } catch (error) {
      await endBadly(lease, startedAt, error);
      throw lease.signal.aborted ? lease.signal.reason : error;
    }
    const { result, failure } = progress;
    const finishedAt = await journal.end(lease, { startedAt, result, failure });
    await onStep('end_noted');
    return {
      startedAt: toInstant(startedAt.getTime()),
      finishedAt: toInstant(finishedAt.getTime()),
      result,
      batch: progress.batch === null ? null : await log.get(progress.batch._id),
      submitted: progress.submitted,
      pending: await log.pending(),
      failure,
    };
  }

  /** Older batches first: the oracle follows the chain, and so does whoever reads the events. */
  async function work(lease: HeldLease, progress: Progress): Promise<TickResult> {
    if (!(await settleOlder(lease, progress))) return 'held';
    if (signer === undefined) return 'no_key';
    const content = await gatherBatch(deps.gatherCards(), lease.signal);
    const latest = await log.latest();
    if (isUnchanged({ ...content, formula: deps.formula }, latest)) {
      return latest === null ? 'empty' : 'unchanged';
    }
    progress.batch = await writer.write(lease, content, latest, signer);
    await settle(lease, progress.batch, progress);
    return 'published';
  }

  /** Whether every batch there was is settled now. */
  async function settleOlder(lease: HeldLease, progress: Progress): Promise<boolean> {
    for (let count = 0; count < maxSubmissions; count += 1) {
      const oldest = await log.oldestUnsettled();
      if (oldest === null) return true;
      if (!(await settle(lease, oldest, progress))) return false;
    }
    return (await log.oldestUnsettled()) === null;
  }

  /** By a receipt, or where there is no oracle by the event alone. */
  async function settle(lease: HeldLease, batch: BatchRow, progress: Progress): Promise<boolean> {
    if (!deps.hasOracle) {
      await submitter.announce(lease, batch);
      return true;
    }
    progress.failure = await submitter.submit(lease, batch);
    if (progress.failure !== null) return false;
    progress.submitted.push(batch._id);
    return true;
  }

  /** One that was cut short, by a stop or a take-over, has not failed; and after a take-over notes nothing at all. */
  async function endBadly(lease: HeldLease, startedAt: Date, error: unknown): Promise<void> {
    const cutShort = lease.signal.aborted || error instanceof LeaseLostError;
    const note = cutShort ? null : ({ startedAt, result: null, failure: 'internal' } as const);
    await journal
      .end(lease, note)
      .catch((failed: unknown) => logger.warn({ err: failed }, 'the end of a failed tick was not noted'));
  }

  return () => deps.leases.run(publisherLease, deps.leaseTtlMs, run);
}
