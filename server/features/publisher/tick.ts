import type { TickAnswer, TickFailure, TickResult } from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import type { InLeasedTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { isUnchanged } from './batch.rules.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import { type BatchWriter, gatherBatch } from './batch-writer.js';
import type { Continuity } from './continuity.js';
import { isLogFailure } from './continuity.rules.js';
import { beginTick, endTick, type TickNote, type TickState } from './health.rules.js';
import { toPublished } from './log.js';
import type { Signer } from './signer.rules.js';
import type { Submitter } from './submitter.js';
import type { TickStore } from './tick-store.js';

/** One tick at a time, whichever instance it is on. */
export const publisherLease = 'publisher';

/** A backlog, for example after an oracle was configured late, is submitted in portions of this size. */
const maxSubmissions = 100;

/** The cards by one formula. Each batch holds the cards by one formula, which its header names. */
export interface CardSource {
  formula: Formula;
  gatherCards: () => AsyncIterable<ScoreCard>;
}

interface Progress {
  result: TickResult | null;
  made: BatchDocument[];
  submitted: number[];
  failure: TickFailure | null;
}

/** Runs a tick under the lease; `ran: false` while another runs. Throws LeaseLostError when it is cut short. */
export type Tick = () => Promise<LeaseOutcome<TickAnswer>>;

export interface TickDeps {
  batches: BatchStore;
  ticks: TickStore;
  inLeasedTransaction: InLeasedTransaction;
  writer: BatchWriter;
  submitter: Submitter;
  continuity: Continuity;
  leases: Pick<Leases, 'run'>;
  /** The sources, in the order in which their batches are made. */
  sources: readonly CardSource[];
  /** If undefined, nothing is signed; batches that are already signed are still submitted. */
  signer: Signer | undefined;
  hasOracle: boolean;
  leaseTtlMs: number;
  clock: Clock;
  logger: Logger;
}

export function createTick(deps: TickDeps): Tick {
  const { batches, ticks, inLeasedTransaction, writer, submitter, continuity, signer, clock, logger } = deps;

  async function run(lease: HeldLease): Promise<TickAnswer> {
    const { startedAt, abandoned } = await noteBegin(lease);
    const progress: Progress = { result: null, made: [], submitted: [], failure: null };
    try {
      if (abandoned !== null) await writer.discard(lease, abandoned);
      progress.result = await work(lease, progress);
    } catch (error) {
      await endBadly(lease, startedAt, error);
      throw lease.signal.aborted ? lease.signal.reason : error;
    }
    const { result, failure } = progress;
    const finishedAt = await noteEnd(lease, { startedAt, result, failure });
    return {
      startedAt: toInstant(startedAt.getTime()),
      finishedAt: toInstant(finishedAt.getTime()),
      result,
      batch: await publishedNow(progress.made.at(-1)),
      made: progress.made.map(({ _id }) => _id),
      submitted: progress.submitted,
      pending: deps.hasOracle ? await batches.countWithoutReceipt() : 0,
      failure,
    };
  }

  /** A tick still marked as running has died; the entries that it may have stored belong to the abandoned attempt. */
  async function noteBegin(lease: HeldLease): Promise<{ startedAt: Date; abandoned: string | null }> {
    const startedAt = new Date(clock());
    const state = await changeState(lease, (before) => beginTick(before, { token: lease.token, startedAt }));
    return { startedAt, abandoned: state.attempt };
  }

  /** `note` is null for a tick that was stopped halfway. */
  async function noteEnd(lease: HeldLease, note: Omit<TickNote, 'finishedAt'> | null): Promise<Date> {
    const finishedAt = new Date(clock());
    await changeState(lease, (before) => endTick(before, note === null ? null : { ...note, finishedAt }));
    return finishedAt;
  }

  function changeState(lease: HeldLease, next: (before: TickState) => TickState): Promise<TickState> {
    return inLeasedTransaction(lease, async (session) => {
      const state = next(await ticks.read(session));
      await ticks.save(session, state);
      return state;
    });
  }

  /** The batch as it is stored now, with its receipt if it has one. */
  async function publishedNow(made: BatchDocument | undefined): Promise<TickAnswer['batch']> {
    const batch = made === undefined ? null : await batches.find(made._id);
    return batch === null ? null : toPublished(batch);
  }

  /** The oldest batch without a receipt, or, without an oracle, without its event. */
  function oldestUnsettled(): Promise<BatchDocument | null> {
    return deps.hasOracle ? batches.oldestWithoutReceipt() : batches.oldestUnannounced();
  }

  /** Settles older batches first, because the oracle and the subscribers of the events follow the chain. */
  async function work(lease: HeldLease, progress: Progress): Promise<TickResult> {
    if (!(await settleOlder(lease, progress))) return 'held';
    if (signer === undefined) return 'no_key';
    const doubt = await continuity.doubt(lease);
    if (isLogFailure(doubt)) return hold(progress, doubt);
    for (const source of deps.sources) {
      const content = await gatherNews(lease, source);
      if (content === null) continue;
      if (doubt !== null) return hold(progress, doubt);
      const batch = await writer.write(lease, content, await batches.latest(), signer);
      progress.made.push(batch);
      if (!(await settle(lease, batch, progress))) break;
    }
    if (progress.made.length > 0) return 'published';
    return (await batches.latest()) === null ? 'empty' : 'unchanged';
  }

  /** Makes no batch, because others may have one of the same sequence. */
  function hold(progress: Progress, doubt: TickFailure | null): TickResult {
    progress.failure = doubt;
    return 'held';
  }

  /** Null if the latest batch by this formula has the same entries. */
  async function gatherNews(lease: HeldLease, { formula, gatherCards }: CardSource) {
    const content = { ...(await gatherBatch(gatherCards(), lease.signal)), formula };
    return isUnchanged(content, await batches.latestBy(formula)) ? null : content;
  }

  /** Settles the earlier batches; returns whether all of them are settled now. */
  async function settleOlder(lease: HeldLease, progress: Progress): Promise<boolean> {
    for (let count = 0; count < maxSubmissions; count += 1) {
      const oldest = await oldestUnsettled();
      if (oldest === null) return true;
      if (!(await settle(lease, oldest, progress))) return false;
    }
    return (await oldestUnsettled()) === null;
  }

  /** A batch is settled by its receipt or, without an oracle, by its event. */
  async function settle(lease: HeldLease, batch: BatchDocument, progress: Progress): Promise<boolean> {
    if (!deps.hasOracle) {
      await submitter.announce(lease, batch);
      return true;
    }
    progress.failure = await submitter.submit(lease, batch);
    if (progress.failure !== null) return false;
    progress.submitted.push(batch._id);
    return true;
  }

  /** A tick cut short by a stop has not failed. If another instance holds the lease now, this write is refused like all. */
  async function endBadly(lease: HeldLease, startedAt: Date, error: unknown): Promise<void> {
    const cutShort = lease.signal.aborted || error instanceof LeaseLostError;
    const note = cutShort ? null : ({ startedAt, result: null, failure: 'internal' } as const);
    await noteEnd(lease, note).catch((failed: unknown) =>
      logger.warn({ err: failed }, 'the end of a failed tick was not noted'),
    );
  }

  return () => deps.leases.run(publisherLease, deps.leaseTtlMs, run);
}
