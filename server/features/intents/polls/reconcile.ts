import pLimit from 'p-limit';
import type { ReconcileAnswer } from '../../../../contract/schemas/intents.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../../mongo/leases.js';
import { type Clock, type Logger, type Pause, toInstant } from '../../../ports.js';
import type { LookUpPayments } from '../payment/payment-look-ups.js';
import type { MakeProgress } from '../transition/progress.js';
import type { DueStore } from './due-store.js';
import { type Counts, createPolls, type PollLimits, type Run } from './polls.js';
import type { PollTransaction } from './transaction-poll.js';

export const reconcileLease = 'reconcile';

export interface ReconcileLimits extends PollLimits {
  leaseTtlMs: number;
  /** How many anchors are worked on concurrently. */
  anchorsAtOnce: number;
  /** Nothing begins later than this after the start of the run. */
  maxRunMs: number;
}

const defaults: ReconcileLimits = {
  leaseTtlMs: 15_000,
  pollSpacingMs: 200,
  anchorsAtOnce: 32,
  maxRunMs: 20_000,
  giveUpAfter: 3,
};

/** Polls, looks up and ends what is due; does nothing while another instance does. */
export type Reconcile = () => Promise<LeaseOutcome<ReconcileAnswer>>;

export function createReconcile(deps: {
  dueStore: DueStore;
  progress: MakeProgress;
  poll: PollTransaction;
  /** Undefined where no ledger is configured. */
  lookUpPayments?: LookUpPayments | undefined;
  leases: Leases;
  clock: Clock;
  pause: Pause;
  logger: Logger;
  limits?: Partial<ReconcileLimits>;
}): Reconcile {
  const { dueStore, leases, lookUpPayments, clock } = deps;
  const limits = { ...defaults, ...deps.limits };
  const { pollAnchor, endUnpolled } = createPolls({ ...deps, limits });

  /** The work of one round at all anchors and on the ledger. Every part ends before it throws what failed. */
  async function round(run: Run): Promise<void> {
    await dueStore.giveFreePlaces(new Date(clock()));
    const anchorIds = await dueStore.listAnchors(new Date(clock()));
    const atOnce = pLimit(limits.anchorsAtOnce);
    const work = anchorIds.flatMap((anchorId) => [
      endUnpolled(anchorId, run),
      atOnce(() => (run.mayGoOn() ? pollAnchor(anchorId, run) : undefined)),
    ]);
    const results = await Promise.allSettled([...work, lookUpPayments?.(run)]);
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    // If the lease was lost, its new holder goes on.
    const failure = failures.find((error) => !(error instanceof LeaseLostError)) ?? failures[0];
    if (failure !== undefined) throw failure;
  }

  async function runUnder(lease: HeldLease): Promise<ReconcileAnswer> {
    const startedAtMs = clock();
    const counts = noCounts();
    const mayGoOn = () => !lease.signal.aborted && clock() - startedAtMs < limits.maxRunMs;
    let done = -1;
    // Another round, so that what becomes due at other anchors does not wait for the next run.
    while (mayGoOn() && done < counts.looked + counts.lookedUp) {
      done = counts.looked + counts.lookedUp;
      await round({ lease, counts, mayGoOn });
    }
    const more = (await dueStore.listAnchors(new Date(clock()))).length > 0;
    return { startedAt: toInstant(startedAtMs), finishedAt: toInstant(clock()), ...counts, more };
  }

  return () => leases.run(reconcileLease, limits.leaseTtlMs, runUnder);
}

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
    lookedUp: 0,
  };
}
