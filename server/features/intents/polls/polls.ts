import pLimit from 'p-limit';
import type { ReconcileAnswer } from '../../../../contract/schemas/intents.js';
import type { HeldLease } from '../../../mongo/leases.js';
import { ContendedWriteError } from '../../../mongo/transactions.js';
import type { Clock, Logger, Pause } from '../../../ports.js';
import type { MakeProgress } from '../transition/progress.js';
import type { DuePoll, DueStore } from './due-store.js';
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

/** Ends what only its time can end, by single updates. */
const endingsAtOnce = 16;
const notAsked: PollResult = { kind: 'not_pollable' };
const givenUp: PollResult = { kind: 'unreachable', why: 'given up for this round', answered: false };

/** What a round does for one anchor. */
export function createPolls(deps: {
  dueStore: Pick<DueStore, 'listPolls' | 'listEndings'>;
  progress: MakeProgress;
  poll: PollTransaction;
  clock: Clock;
  logger: Logger;
  pause: Pause;
  limits: PollLimits;
}) {
  const { dueStore, progress, poll, clock, logger, pause, limits } = deps;
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
        dialect: result.kind === 'record' ? result.dialect : undefined,
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

  return {
    /** Polls the next of the anchor's due transactions, one after another. */
    async pollAnchor(anchorId: string, run: Run): Promise<void> {
      let unanswered = 0;
      let nextPollAtMs = Number.NEGATIVE_INFINITY;
      for (const intent of await dueStore.listPolls(anchorId, new Date(clock()))) {
        if (!run.mayGoOn()) return;
        const waitMs = nextPollAtMs - clock();
        if (waitMs > 0) await pause(waitMs);
        const polledAtMs = clock();
        let result = givenUp;
        const isPaused = polledAtMs < (pausedUntil.get(anchorId) ?? 0);
        if (unanswered < limits.giveUpAfter && !isPaused) {
          result = await poll(anchorId, intent.transactionId ?? '', intent.dialect);
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
    },

    /** Looks at the anchor's due intents about which it is asked nothing: their time may have ended them. */
    async endUnpolled(anchorId: string, run: Run): Promise<void> {
      const limit = pLimit(endingsAtOnce);
      const due = await dueStore.listEndings(anchorId, new Date(clock()));
      const work = due.map((intent) =>
        limit(() => (run.mayGoOn() ? apply(intent, notAsked, clock(), run) : undefined)),
      );
      await Promise.allSettled(work);
      await Promise.all(work);
    },
  };
}
