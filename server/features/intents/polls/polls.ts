import type { ReconcileAnswer } from '../../../../contract/schemas/intents.js';
import type { HeldLease } from '../../../mongo/leases.js';
import { ContendedWriteError } from '../../../mongo/refused-writes.js';
import type { Clock, Logger, Pause } from '../../../ports.js';
import type { MakeProgress } from '../transition/progress.js';
import type { DueStore } from './due-store.js';
import type { PollResult, PollTransaction } from './transaction-poll.js';

export interface PollLimits {
  /** Polls of one anchor begin at least this far apart. */
  pollSpacingMs: number;
  /** After this many polls in a row without an answer, an anchor is not asked again in this round. */
  giveUpAfter: number;
}

/** One run's work. */
export interface Run {
  lease: HeldLease;
  counts: Counts;
  mayGoOn: () => boolean;
}

export type Counts = Omit<ReconcileAnswer, 'startedAt' | 'finishedAt' | 'more'>;

/** Polls the next of the anchor's due transactions, one after another. */
export type PollAnchor = (anchorId: string, run: Run) => Promise<void>;

export function createPollAnchor(deps: {
  store: Pick<DueStore, 'listPolls'>;
  progress: MakeProgress;
  poll: PollTransaction;
  clock: Clock;
  logger: Logger;
  pause: Pause;
  limits: PollLimits;
}): PollAnchor {
  const { store, progress, poll, clock, logger, pause, limits } = deps;
  return async (anchorId, run) => {
    const { counts, mayGoOn } = run;
    let unanswered = 0;
    let nextPollAtMs = Number.NEGATIVE_INFINITY;
    for (const intent of await store.listPolls(anchorId, new Date(clock()))) {
      if (!mayGoOn()) return;
      const waitMs = nextPollAtMs - clock();
      if (waitMs > 0) await pause(waitMs);
      const polledAtMs = clock();
      let result: PollResult = { kind: 'unreachable', why: 'given up for this round', answered: false };
      if (unanswered < limits.giveUpAfter) {
        result = await poll(anchorId, intent.transactionId, intent.dialect);
        if (result.kind !== 'not_pollable') {
          nextPollAtMs = polledAtMs + limits.pollSpacingMs;
          counts.polled += 1;
        }
        if (result.kind === 'unreachable') logger.warn({ anchorId, why: result.why }, 'poll had no answer');
        // Anyone can attach an id that the anchor answers with an error, so that answer does not count against it.
        if (result.kind !== 'unreachable') unanswered = 0;
        else if (!result.answered || intent.poll === 'confirmed') unanswered += 1;
      }
      counts.looked += 1;
      await apply(intent, result, polledAtMs, run);
    }
  };

  async function apply(
    { _id: intentHash, transactionId }: { _id: string; transactionId: string },
    result: PollResult,
    polledAtMs: number,
    { lease, counts }: Run,
  ): Promise<void> {
    if (result.kind === 'unreachable') counts.unreachable += 1;
    if (result.kind === 'not_found') counts.notFound += 1;
    try {
      const made = await progress(intentHash, {
        learned: result.kind === 'record' ? result : result.kind === 'not_found' ? 'unknown_to_anchor' : null,
        dialect: result.kind === 'record' ? result.dialect : undefined,
        about: transactionId,
        pollable: result.kind !== 'not_pollable',
        polledAtMs,
        lease,
      });
      if (made === undefined || made.after === made.before || made.after === 'pending') counts.leftOpen += 1;
      else counts[made.after] += 1;
      if (made?.before === 'failed' && made.after === 'settled') counts.recovered += 1;
    } catch (error) {
      if (!(error instanceof ContendedWriteError)) throw error;
      counts.leftOpen += 1;
      logger.warn({ err: error }, 'intent left for the next run');
    }
  }
}
