import pLimit from 'p-limit';
import type { ReconcileAnswer } from '../../../contract/schemas/intents.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { expireUnattached } from './expiry.js';
import type { IntentDocument } from './intent-document.js';
import { ContendedIntentError, type MakeProgress } from './progress.js';
import type { IntentModel } from './store.js';
import type { PollResult, PollTransaction } from './transaction-poll.js';

export const reconcileLease = 'reconcile';

export interface ReconcileLimits {
  leaseTtlMs: number;
  /** Polls of one anchor begin at least this far apart. */
  pollSpacingMs: number;
  /** How many intents of one anchor a run looks at. */
  maxPerAnchor: number;
  /** How many anchors are worked on at once. */
  anchorsAtOnce: number;
  /** No look begins later than this after the start of the run. */
  maxRunMs: number;
  /** After so many polls in a row without an answer, an anchor is asked no more in this run. */
  giveUpAfter: number;
}

const defaults: ReconcileLimits = {
  leaseTtlMs: 15_000,
  pollSpacingMs: 200,
  maxPerAnchor: 200,
  anchorsAtOnce: 32,
  maxRunMs: 20_000,
  giveUpAfter: 3,
};

/** A look that is begun puts the next one off by this much, before anything else: killed, it is made again then. */
const claimMs = 60_000;

export interface Reconcile {
  /** Looks at the open intents whose turn it is; does nothing while another instance does. */
  run(): Promise<LeaseOutcome<ReconcileAnswer>>;
}

export interface ReconcileDeps {
  model: IntentModel;
  leases: Leases;
  progress: MakeProgress;
  poll: PollTransaction;
  clock: Clock;
  logger: Logger;
  /** Resolves after so many ms; real time unless a test says otherwise. */
  pause?: (ms: number) => Promise<void>;
  limits?: Partial<ReconcileLimits>;
}

export function createReconcile(deps: ReconcileDeps): Reconcile {
  const { model, leases, progress, poll, clock, logger } = deps;
  const limits = { ...defaults, ...deps.limits };
  const pause = deps.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));

  async function runUnder(lease: HeldLease): Promise<ReconcileAnswer> {
    const startedAtMs = clock();
    const counts = noCounts();
    const mayGoOn = () => !lease.signal.aborted && clock() - startedAtMs < limits.maxRunMs;
    const atOnce = pLimit(limits.anchorsAtOnce);
    const anchorIds = await model.distinct('anchorId', whoseTurn(startedAtMs));
    const workers = await Promise.allSettled(
      anchorIds.map((anchorId) => atOnce(() => workOn(anchorId, lease, counts, mayGoOn))),
    );
    for (const worker of workers) {
      // Taken over: whoever did goes on from here. Anything else failed, after the other anchors had their turn.
      if (worker.status === 'rejected' && !(worker.reason instanceof LeaseLostError)) throw worker.reason;
    }
    const more = (await model.exists(whoseTurn(startedAtMs))) !== null;
    const finishedAt = toInstant(clock());
    return { startedAt: toInstant(startedAtMs), finishedAt, ...counts, more };
  }

  /** The one worker of an anchor: one intent after another, at a bounded rate. */
  async function workOn(
    anchorId: string,
    lease: HeldLease,
    counts: Counts,
    mayGoOn: () => boolean,
  ): Promise<void> {
    await expireAll(anchorId, counts, mayGoOn);
    let inVain = 0;
    let nextPollAtMs = Number.NEGATIVE_INFINITY;
    for (let taken = 0; taken < limits.maxPerAnchor && mayGoOn(); taken += 1) {
      const intent = await takeTurn(anchorId);
      if (intent === null) return;
      counts.looked += 1;
      let result: PollResult = { kind: 'not_pollable' };
      if (intent.transactionId !== undefined && inVain >= limits.giveUpAfter) {
        result = { kind: 'unreachable', why: 'given up for this run' };
      } else if (intent.transactionId !== undefined) {
        const waitMs = nextPollAtMs - clock();
        if (waitMs > 0) await pause(waitMs);
        nextPollAtMs = clock() + limits.pollSpacingMs;
        result = await poll(anchorId, intent.transactionId, intent.dialect);
        inVain = result.kind === 'unreachable' ? inVain + 1 : 0;
        if (result.kind !== 'not_pollable') counts.polled += 1;
        if (result.kind === 'unreachable') logger.warn({ anchorId, why: result.why }, 'poll had no answer');
      }
      await bring(intent._id, result, lease, counts);
    }
  }

  /** Those that never had a transaction: nobody is asked, so they neither wait nor keep others waiting. */
  async function expireAll(anchorId: string, counts: Counts, mayGoOn: () => boolean): Promise<void> {
    for (let left = true; left && mayGoOn(); ) {
      const { expired, more } = await expireUnattached(model, anchorId, clock());
      counts.looked += expired;
      counts.expired += expired;
      left = more;
    }
  }

  async function takeTurn(anchorId: string): Promise<IntentDocument | null> {
    const nowMs = clock();
    return model
      .findOneAndUpdate(
        { anchorId, ...whoseTurn(nowMs) },
        { $set: { due: new Date(nowMs + claimMs) } },
        { sort: { due: 1 } },
      )
      .lean<IntentDocument>();
  }

  async function bring(
    intentHash: string,
    result: PollResult,
    lease: HeldLease,
    counts: Counts,
  ): Promise<void> {
    if (result.kind === 'unreachable') counts.unreachable += 1;
    if (result.kind === 'not_found') counts.notFound += 1;
    const heard = result.kind === 'record' ? { sight: result, dialect: result.dialect } : { sight: null };
    try {
      const made = await progress(intentHash, { ...heard, pollable: result.kind !== 'not_pollable', lease });
      if (made === undefined || made.after === made.before || made.after === 'pending') counts.leftOpen += 1;
      else counts[made.after] += 1;
      if (made?.before === 'failed' && made.after === 'settled') counts.recovered += 1;
    } catch (error) {
      if (!(error instanceof ContendedIntentError)) throw error;
      counts.leftOpen += 1;
      logger.warn({ err: error }, 'intent left for the next run');
    }
  }

  return { run: () => leases.run(reconcileLease, limits.leaseTtlMs, runUnder) };
}

function whoseTurn(nowMs: number) {
  return { open: true, due: { $lte: new Date(nowMs) } };
}

type Counts = Omit<ReconcileAnswer, 'startedAt' | 'finishedAt' | 'more'>;

function noCounts(): Counts {
  return {
    looked: 0,
    polled: 0,
    settled: 0,
    recovered: 0,
    failed: 0,
    expired: 0,
    leftOpen: 0,
    unreachable: 0,
    notFound: 0,
  };
}
