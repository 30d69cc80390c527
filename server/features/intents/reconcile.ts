import pLimit from 'p-limit';
import type { ReconcileAnswer } from '../../../contract/schemas/intents.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import type { Intent } from './intent.js';
import { toFields, toState } from './intent-state.rules.js';
import { ContendedIntentError, type MakeProgress } from './progress.js';
import type { IntentStore } from './store.js';
import type { PollResult, PollTransaction } from './transaction-poll.js';
import { transition } from './transition.rules.js';
import type { RemoveUnpaid } from './unpaid-removal.js';

export const reconcileLease = 'reconcile';

export interface ReconcileLimits {
  leaseTtlMs: number;
  /** Polls of one anchor begin at least this far apart. */
  pollSpacingMs: number;
  /** How many intents of one anchor a run looks at. */
  maxPerAnchor: number;
  /** How many anchors are worked on concurrently. */
  anchorsAtOnce: number;
  /** No look begins later than this after the start of the run. */
  maxRunMs: number;
  /** After this many polls in a row without an answer, an anchor is not asked again in this run. */
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

/** A look first puts the next one off by this much: if the process is killed during it, the look is repeated then. */
const claimMs = 60_000;
const expiryBatchSize = 500;
/** Without a transaction nothing was observed whose failure could stand. */
const unattachedLimits = { failureGraceMs: Number.POSITIVE_INFINITY };

export interface Reconcile {
  /** Looks at the open intents that are due; does nothing while another instance does. */
  run(): Promise<LeaseOutcome<ReconcileAnswer>>;
}

export interface ReconcileDeps {
  store: Pick<
    IntentStore,
    'listAnchorsWithDue' | 'hasDue' | 'takeNextDue' | 'findDueUnattached' | 'saveAllProgress'
  >;
  leases: Leases;
  progress: MakeProgress;
  poll: PollTransaction;
  removeUnpaid: RemoveUnpaid;
  clock: Clock;
  logger: Logger;
  /** Resolves after this many milliseconds, in real time unless a test replaces it. */
  pause?: (ms: number) => Promise<void>;
  limits?: Partial<ReconcileLimits>;
}

export function createReconcile(deps: ReconcileDeps): Reconcile {
  const { store, leases, progress, poll, removeUnpaid, clock, logger } = deps;
  const limits = { ...defaults, ...deps.limits };
  const pause = deps.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));

  async function runUnder(lease: HeldLease): Promise<ReconcileAnswer> {
    const startedAtMs = clock();
    const startedAt = new Date(startedAtMs);
    const counts = noCounts();
    const mayGoOn = () => !lease.signal.aborted && clock() - startedAtMs < limits.maxRunMs;
    // First, since there may always be more to look at than a run has time for.
    counts.removed = await removeUnpaid(mayGoOn);
    const atOnce = pLimit(limits.anchorsAtOnce);
    const anchorIds = await store.listAnchorsWithDue(startedAt);
    const workers = await Promise.allSettled(
      anchorIds.map((anchorId) => atOnce(() => workOn(anchorId, lease, counts, mayGoOn))),
    );
    for (const worker of workers) {
      // Where the lease was taken over, its new holder goes on. Any other failure is reported once all anchors had their turn.
      if (worker.status === 'rejected' && !(worker.reason instanceof LeaseLostError)) throw worker.reason;
    }
    const more = await store.hasDue(startedAt);
    return { startedAt: toInstant(startedAtMs), finishedAt: toInstant(clock()), ...counts, more };
  }

  /** The one worker of an anchor: one intent after another, at a bounded rate. */
  async function workOn(
    anchorId: string,
    lease: HeldLease,
    counts: Counts,
    mayGoOn: () => boolean,
  ): Promise<void> {
    await expireUnattached(anchorId, counts, mayGoOn);
    let unanswered = 0;
    let nextPollAtMs = Number.NEGATIVE_INFINITY;
    for (let taken = 0; taken < limits.maxPerAnchor && mayGoOn(); taken += 1) {
      const nowMs = clock();
      const intent = await store.takeNextDue(anchorId, new Date(nowMs), new Date(nowMs + claimMs));
      if (intent === null) return;
      counts.looked += 1;
      let result: PollResult = { kind: 'not_pollable' };
      if (intent.transactionId !== undefined && unanswered >= limits.giveUpAfter) {
        result = { kind: 'unreachable', why: 'given up for this run' };
      } else if (intent.transactionId !== undefined) {
        const waitMs = nextPollAtMs - clock();
        if (waitMs > 0) await pause(waitMs);
        nextPollAtMs = clock() + limits.pollSpacingMs;
        result = await poll(anchorId, intent.transactionId, intent.dialect);
        unanswered = result.kind === 'unreachable' ? unanswered + 1 : 0;
        if (result.kind !== 'not_pollable') counts.polled += 1;
        if (result.kind === 'unreachable') logger.warn({ anchorId, why: result.why }, 'poll had no answer');
      }
      await apply(intent, result, lease, counts);
    }
  }

  /**
   * Expires the anchor's intents whose time is over and that never had a transaction. They have no event, so each is
   * one write, held against its version like every other. Since anyone can make very many of them, they are taken in
   * batches and do not queue among the intents that wait to be polled.
   */
  async function expireUnattached(anchorId: string, counts: Counts, mayGoOn: () => boolean): Promise<void> {
    while (mayGoOn()) {
      const nowMs = clock();
      const due = await store.findDueUnattached(anchorId, new Date(nowMs), expiryBatchSize);
      const changes = due.flatMap((intent) => {
        const state = transition(toState(intent), null, nowMs, unattachedLimits);
        if (state.ending === null) return [];
        return [{ intent, change: { ...toFields(state), open: false }, pendingAggregation: true }];
      });
      if (changes.length === 0) return;
      const expired = await store.saveAllProgress(changes);
      counts.looked += expired;
      counts.expired += expired;
      if (due.length < expiryBatchSize || expired === 0) return;
    }
  }

  async function apply(
    { _id: intentHash, transactionId }: Intent,
    result: PollResult,
    lease: HeldLease,
    counts: Counts,
  ): Promise<void> {
    if (result.kind === 'unreachable') counts.unreachable += 1;
    if (result.kind === 'not_found') counts.notFound += 1;
    const learned =
      result.kind === 'record' ? { observation: result, dialect: result.dialect } : { observation: null };
    try {
      const pollable = result.kind !== 'not_pollable';
      const notFound = result.kind === 'not_found';
      const about = { about: transactionId, notFound };
      const made = await progress(intentHash, { ...learned, ...about, pollable, lease });
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
    removed: 0,
  };
}
