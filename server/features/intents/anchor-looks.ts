import type { ReconcileAnswer } from '../../../contract/schemas/intents.js';
import type { HeldLease } from '../../mongo/leases.js';
import type { Clock, Logger, Pause } from '../../ports.js';
import { allEnded } from '../../timing.js';
import type { Intent } from './intent.js';
import { toFields, toState } from './intent-state.rules.js';
import type { LookStore } from './look-store.js';
import { nextLookMs } from './next-look.rules.js';
import { ContendedIntentError, type MakeProgress } from './progress.js';
import type { IntentStore } from './store.js';
import type { PollResult, PollTransaction } from './transaction-poll.js';
import { transition } from './transition.rules.js';
import { createTurns, type Turns } from './turns.js';

export interface AnchorLookLimits {
  /** Polls of one anchor begin at least this far apart. */
  pollSpacingMs: number;
  /** Most intents of one anchor that a run checks. */
  maxPerAnchor: number;
  /** After this many polls in a row without an answer, an anchor is not asked again in this run. */
  giveUpAfter: number;
}

export interface AnchorLooksDeps {
  store: Pick<IntentStore, 'saveAllProgress'>;
  looks: Pick<LookStore, 'enqueueOld' | 'findTurn' | 'claimLook' | 'findDueUnpolled'>;
  progress: MakeProgress;
  poll: PollTransaction;
  /** Whether payments are looked up on the ledger. */
  asksLedger: boolean;
  clock: Clock;
  logger: Logger;
  pause: Pause;
  limits: AnchorLookLimits;
}

/** One run's work on an anchor. */
export interface AnchorRun {
  lease: HeldLease;
  counts: Counts;
  mayGoOn: () => boolean;
}

export type Counts = Omit<ReconcileAnswer, 'startedAt' | 'finishedAt' | 'more'>;

/** A look (the check of one intent) first moves the next one this far ahead: if the process dies, it is repeated then. */
const claimMs = 60_000;
const expiryBatchSize = 500;

/**
 * Checks the due intents of an anchor, one after another at a bounded rate, until none is due or `maxPerAnchor` is
 * reached. Resolves to whether it may be called again in this run.
 */
export type WorkOnAnchor = (anchorId: string, run: AnchorRun) => Promise<boolean>;

export function createAnchorLooks(deps: AnchorLooksDeps): WorkOnAnchor {
  const { store, looks, progress, poll, clock, logger, pause, limits } = deps;
  // These intents were never observed, so there is no failure whose grace period could end.
  const unseenLimits = { failureGraceMs: Number.POSITIVE_INFINITY, ledger: deps.asksLedger };
  /** Kept between runs, so that the turns continue where they stopped. The size of the fleet bounds the map. */
  const turnsOf = new Map<string, Turns>();

  function turnsAt(anchorId: string): Turns {
    const turns = turnsOf.get(anchorId) ?? createTurns(looks, anchorId);
    turnsOf.set(anchorId, turns);
    return turns;
  }

  /** Returns the number of intents that it checked. */
  async function lookAtDue(anchorId: string, { lease, counts, mayGoOn }: AnchorRun): Promise<number> {
    const turns = turnsAt(anchorId);
    let unanswered = 0;
    let nextPollAtMs = Number.NEGATIVE_INFINITY;
    let taken = 0;
    for (; taken < limits.maxPerAnchor && mayGoOn(); taken += 1) {
      const waitMs = nextPollAtMs - clock();
      // The pause comes before the turn is taken, so that an intent that becomes due during the pause can still get it.
      if (waitMs > 0) await pause(waitMs);
      const nowMs = clock();
      const next = await turns.take(new Date(nowMs), new Date(nowMs + claimMs));
      if (next === null) break;
      const { intent, queue } = next;
      counts.looked += 1;
      let result: PollResult = { kind: 'not_pollable' };
      if (intent.transactionId !== undefined && unanswered >= limits.giveUpAfter) {
        result = { kind: 'unreachable', why: 'given up for this run', answered: false };
      } else if (intent.transactionId !== undefined) {
        result = await poll(anchorId, intent.transactionId, intent.dialect);
        if (result.kind !== 'not_pollable') {
          nextPollAtMs = nowMs + limits.pollSpacingMs;
          counts.polled += 1;
        }
        if (result.kind === 'unreachable') logger.warn({ anchorId, why: result.why }, 'poll had no answer');
        // Anyone can attach an id that the anchor answers with an error, so that answer does not count against it.
        if (result.kind !== 'unreachable') unanswered = 0;
        else if (!result.answered || queue === 'known') unanswered += 1;
      }
      await apply(intent, result, nowMs, lease, counts);
    }
    return taken;
  }

  /**
   * Ends the anchor's intents that are not polled and whose time is over. They emit no event, so each needs only one
   * write, conditional on its version like every other. Anyone can create very many of them, so they are written in
   * batches, concurrently with the looks.
   */
  async function endUnpolled(anchorId: string, { counts, mayGoOn }: AnchorRun): Promise<void> {
    while (mayGoOn()) {
      const nowMs = clock();
      const due = await looks.findDueUnpolled(anchorId, new Date(nowMs), expiryBatchSize);
      const changes = due.map((intent) => {
        const state = transition(toState(intent), null, nowMs, unseenLimits);
        if (state.ending !== null) {
          // A failed one whose transaction passed to its payer is only closed: nothing can complete it any more.
          const pendingAggregation = intent.status === 'pending';
          return { intent, change: { ...toFields(state), open: false }, pendingAggregation };
        }
        const nextMs = nextLookMs(state, nowMs, false, unseenLimits) ?? nowMs;
        return {
          intent,
          change: { due: new Date(Math.max(nextMs, nowMs + claimMs)) },
          pendingAggregation: false,
        };
      });
      if (changes.length === 0) return;
      const written = await store.saveAllProgress(changes);
      const ended = Math.min(written, changes.filter(({ pendingAggregation }) => pendingAggregation).length);
      counts.looked += ended;
      counts.expired += ended;
      if (due.length < expiryBatchSize || written === 0) return;
    }
  }

  async function apply(
    { _id: intentHash, transactionId }: Intent,
    result: PollResult,
    lookedAtMs: number,
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
      const about = { about: transactionId, notFound, lookedAtMs };
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

  return async (anchorId, run) => {
    const before = run.counts.expired;
    await looks.enqueueOld(anchorId, new Date(clock()));
    const [, taken] = await allEnded([endUnpolled(anchorId, run), lookAtDue(anchorId, run)]);
    const didSomething = taken > 0 || run.counts.expired > before;
    return didSomething && taken < limits.maxPerAnchor;
  };
}

export function noCounts(): Counts {
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
    removed: 0,
  };
}
