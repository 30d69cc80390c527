import pLimit from 'p-limit';
import type { ReconcileAnswer } from '../../../contract/schemas/intents.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import { toInstant } from '../../ports.js';
import {
  type AnchorLookLimits,
  type AnchorLooksDeps,
  type Counts,
  createAnchorLooks,
  noCounts,
} from './anchor-looks.js';
import type { LookStore } from './look-store.js';
import type { LookUpPayments } from './payment-look-ups.js';
import type { RemoveUnpaid } from './unpaid-removal.js';

export const reconcileLease = 'reconcile';

export interface ReconcileLimits extends AnchorLookLimits {
  leaseTtlMs: number;
  /** How many anchors are worked on concurrently. */
  anchorsAtOnce: number;
  /** No look begins later than this after the start of the run. */
  maxRunMs: number;
  /** How often a run looks for anchors at which something became due since it began. */
  newAnchorsEveryMs: number;
}

const defaults: ReconcileLimits = {
  leaseTtlMs: 15_000,
  pollSpacingMs: 200,
  maxPerAnchor: 200,
  anchorsAtOnce: 32,
  maxRunMs: 20_000,
  newAnchorsEveryMs: 1_000,
  giveUpAfter: 3,
};

export interface Reconcile {
  /** Checks the open intents that are due; does nothing while another instance does. */
  run(): Promise<LeaseOutcome<ReconcileAnswer>>;
}

export interface ReconcileDeps extends Omit<AnchorLooksDeps, 'limits' | 'asksLedger'> {
  looks: AnchorLooksDeps['looks'] & Pick<LookStore, 'listAnchorsWithDue'>;
  leases: Leases;
  removeUnpaid: RemoveUnpaid;
  /** Undefined where no ledger is configured. */
  lookUpPayments?: LookUpPayments | undefined;
  limits?: Partial<ReconcileLimits>;
}

export function createReconcile(deps: ReconcileDeps): Reconcile {
  const { looks, leases, removeUnpaid, lookUpPayments, clock, pause } = deps;
  const limits = { ...defaults, ...deps.limits };
  const workOn = createAnchorLooks({ ...deps, asksLedger: lookUpPayments !== undefined, limits });
  /** The anchor that was started last, in this run or the one before. */
  let lastBegun = '';

  /** The anchors with due intents, in rotation: the same ones do not come first each time if not all can start at once. */
  async function anchorsWithDue(): Promise<string[]> {
    const anchorIds = (await looks.listAnchorsWithDue(new Date(clock()))).sort();
    return [...anchorIds.filter((id) => id > lastBegun), ...anchorIds.filter((id) => id <= lastBegun)];
  }

  /** Runs the ledger look-ups concurrently with the looks at anchors, one pass at a time. */
  function createLookUps(lease: HeldLease, counts: Counts, mayGoOn: () => boolean, failures: unknown[]) {
    let passes: Promise<void> = Promise.resolve();
    let waiting = 0;
    return {
      begin() {
        if (lookUpPayments === undefined || waiting > 1) return;
        waiting += 1;
        passes = passes.then(async () => {
          try {
            counts.lookedUp += await lookUpPayments(mayGoOn, lease);
          } catch (error) {
            failures.push(error);
          } finally {
            waiting -= 1;
          }
        });
      },
      ended: () => passes,
    };
  }

  async function runUnder(lease: HeldLease): Promise<ReconcileAnswer> {
    const startedAtMs = clock();
    const counts = noCounts();
    let hasFailed = false;
    const mayGoOn = () => !hasFailed && !lease.signal.aborted && clock() - startedAtMs < limits.maxRunMs;
    const atOnce = pLimit(limits.anchorsAtOnce);
    /** Anchors that are under way, waiting, or done for this run. */
    const taken = new Set<string>();
    const underWay = new Set<Promise<void>>();
    const failures: unknown[] = [];

    async function work(anchorId: string): Promise<void> {
      if (!mayGoOn()) return;
      lastBegun = anchorId;
      if (await workOn(anchorId, { lease, counts, mayGoOn })) taken.delete(anchorId);
    }

    function begin(anchorId: string): void {
      taken.add(anchorId);
      const working = atOnce(() => work(anchorId))
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => underWay.delete(working));
      underWay.add(working);
    }

    // Runs concurrently with the looks: either may have more work than a run has time for, so neither waits for the other.
    const removal = removeUnpaid(mayGoOn).then(
      (removed) => {
        counts.removed = removed;
      },
      (error: unknown) => failures.push(error),
    );
    const lookUps = createLookUps(lease, counts, mayGoOn, failures);
    try {
      while (mayGoOn()) {
        lookUps.begin();
        // Read repeatedly, so that what becomes due at other anchors does not wait until a busy anchor is done.
        for (const anchorId of await anchorsWithDue()) if (!taken.has(anchorId)) begin(anchorId);
        if (underWay.size === 0) break;
        await Promise.race([...underWay, pause(limits.newAnchorsEveryMs)]);
      }
    } catch (error) {
      // What is under way ends before the run does: another run may begin as soon as the lease is handed back.
      hasFailed = true;
      failures.push(error);
    }
    await Promise.all([...underWay, removal]);
    // Also looks up the payments that the last polls named.
    lookUps.begin();
    await lookUps.ended();
    // If the lease was lost, its new holder goes on. Any other failure is reported once all anchors had their turn.
    const failure = failures.find((error) => !(error instanceof LeaseLostError));
    if (failure !== undefined) throw failure;
    const more = (await anchorsWithDue()).length > 0;
    return { startedAt: toInstant(startedAtMs), finishedAt: toInstant(clock()), ...counts, more };
  }

  return { run: () => leases.run(reconcileLease, limits.leaseTtlMs, runUnder) };
}
