import pLimit from 'p-limit';
import type { ReconcileAnswer } from '../../../../contract/schemas/intents.js';
import { type HeldLease, LeaseLostError, type Leases } from '../../../mongo/leases.js';
import { ContendedWriteError } from '../../../mongo/transactions.js';
import { type Clock, type Logger, type Pause, toInstant } from '../../../ports.js';
import type { MakeProgress } from '../transition/progress.js';
import type { DuePoll, DueStore } from './due-store.js';
import type { PollResult, PollTransaction } from './transaction-poll.js';

export const reconcileLease = 'reconcile';

/** `pollSpacingMs`: polls of one anchor begin at least this far apart. */
const defaults = { leaseTtlMs: 15_000, pollSpacingMs: 200 };
/** How many anchors are worked on concurrently. */
const anchorsAtOnce = 32;
/** Nothing begins later than this after the start of the run. */
const maxRunMs = 20_000;
/** After this many polls in a row without an answer, an anchor is not asked again in this round. */
const giveUpAfter = 3;
/** Ends what only its time can end, by single updates. */
const endingsAtOnce = 16;
const givenUp: PollResult = { kind: 'unreachable', why: 'given up for this round', answered: false };

/** One run's work. */
export interface Run {
  lease: HeldLease;
  counts: Omit<ReconcileAnswer, 'startedAt' | 'finishedAt' | 'more'>;
  mayGoOn: () => boolean;
}

const noCounts: Run['counts'] = {
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

/** Polls, looks up and ends what is due; does nothing while another instance does. */
export function createReconcile(deps: {
  dueStore: Pick<DueStore, 'giveFreePlaces' | 'listAnchors' | 'listPolls' | 'listEndings'>;
  progress: MakeProgress;
  poll: PollTransaction;
  /** Undefined where no ledger is configured. */
  lookUpPayments?: ((run: Run) => Promise<void>) | undefined;
  leases: Leases;
  clock: Clock;
  pause: Pause;
  logger: Logger;
  limits?: Partial<typeof defaults>;
}) {
  const { dueStore, progress, poll, leases, lookUpPayments, clock, pause, logger } = deps;
  const limits = { ...defaults, ...deps.limits };
  /** By anchor, until when it asked not to be asked, as its Retry-After says. */
  const pausedUntil = new Map<string, number>();

  async function apply(
    { _id: intentHash, transactionId }: DuePoll,
    result: PollResult,
    polledAtMs: number,
    { lease, counts }: Run,
  ): Promise<void> {
    if (result.kind === 'unreachable') counts.unreachable += 1;
    if (result.kind === 'not_found') counts.notFound += 1;
    try {
      const made = await progress(intentHash, {
        learned: result.kind === 'record' ? result : result.kind === 'not_found' ? 'unknown_to_anchor' : null,
        about: transactionId,
        pollable: result.kind !== 'not_pollable',
        polledAtMs,
        lease,
      });
      counts.looked += 1;
      if (made === undefined || made.after === made.before || made.after === 'pending') counts.leftOpen += 1;
      else counts[made.after] += 1;
      if (made?.before === 'failed' && made.after === 'settled') counts.recovered += 1;
    } catch (error) {
      if (!(error instanceof ContendedWriteError)) throw error;
      counts.leftOpen += 1;
      logger.warn({ err: error }, 'intent left for the next run');
    }
  }

  /** Polls the next of the anchor's due transactions, one after another. */
  async function pollAnchor(anchorId: string, run: Run): Promise<void> {
    let unanswered = 0;
    let nextPollAtMs = Number.NEGATIVE_INFINITY;
    for (const intent of await dueStore.listPolls(anchorId, new Date(clock()))) {
      if (!run.mayGoOn()) return;
      const waitMs = nextPollAtMs - clock();
      if (waitMs > 0) await pause(waitMs);
      const polledAtMs = clock();
      let result = givenUp;
      const isPaused = polledAtMs < (pausedUntil.get(anchorId) ?? 0);
      if (unanswered < giveUpAfter && !isPaused) {
        result = await poll(anchorId, intent.transactionId ?? '');
        if (result.kind !== 'not_pollable') {
          nextPollAtMs = polledAtMs + limits.pollSpacingMs;
          run.counts.polled += 1;
        }
        if (result.kind === 'unreachable') {
          pausedUntil.set(anchorId, clock() + (result.pauseMs ?? 0));
          logger.warn({ anchorId, why: result.why }, 'poll had no answer');
        }
        // Anyone can attach an id that the anchor answers with an error, so that answer does not count against it.
        if (result.kind !== 'unreachable') unanswered = 0;
        else if (!result.answered || intent.poll === 'confirmed') unanswered += 1;
      }
      await apply(intent, result, polledAtMs, run);
    }
  }

  /** Looks at the anchor's due intents about which it is asked nothing: their time may have ended them. */
  async function endUnpolled(anchorId: string, run: Run): Promise<void> {
    const atOnce = pLimit(endingsAtOnce);
    const due = await dueStore.listEndings(anchorId, new Date(clock()));
    await allEnded(
      due.map((intent) =>
        atOnce(() => (run.mayGoOn() ? apply(intent, { kind: 'not_pollable' }, clock(), run) : undefined)),
      ),
    );
  }

  /** The work of one round at all anchors and on the ledger. */
  async function round(run: Run): Promise<void> {
    await dueStore.giveFreePlaces(new Date(clock()));
    const anchorIds = await dueStore.listAnchors(new Date(clock()));
    const atOnce = pLimit(anchorsAtOnce);
    const work = anchorIds.flatMap((anchorId) => [
      endUnpolled(anchorId, run),
      atOnce(() => (run.mayGoOn() ? pollAnchor(anchorId, run) : undefined)),
    ]);
    await allEnded([...work, lookUpPayments?.(run)]);
  }

  async function runUnder(lease: HeldLease): Promise<ReconcileAnswer> {
    const startedAtMs = clock();
    const counts = { ...noCounts };
    const mayGoOn = () => !lease.signal.aborted && clock() - startedAtMs < maxRunMs;
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

/** Waits until all have ended, so that none goes on after the run has, and then throws what failed. */
export async function allEnded(work: readonly unknown[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  // If the lease was lost, its new holder goes on.
  const failure = failures.find((error) => !(error instanceof LeaseLostError)) ?? failures[0];
  if (failure !== undefined) throw failure;
}
