import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TickAnswer, TickFailure, TickResult } from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { type HeldLease, LeaseLostError, type LeaseOutcome, type Leases } from '../../mongo/leases.js';
import type { ClientSession, InLeasedTransaction } from '../../mongo/transactions.js';
import { type Clock, type Logger, toInstant } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { Emit } from '../../webhooks/outbox.js';
import {
  type Entry,
  headOf,
  inOrder,
  isUnchanged,
  maxEntries,
  nextHeader,
  type Signer,
  toEntry,
} from './batch.rules.js';
import { beginTick, endTick, type TickNote, type TickState } from './health.rules.js';
import { type PublishedCards, toPublished } from './log.js';
import { rootOf, treeOver } from './merkle-tree.rules.js';
import type { Oracle, Submission } from './oracle.js';
import { type OracleFailure, whatTheLogLacks } from './oracle-answer.rules.js';
import type { BatchDocument, BatchStore, TickStore } from './store.js';

/** One tick at a time, whichever instance it is on. */
export const publisherLease = 'publisher';
export const usualLeaseTtlMs = 30_000;

/** A backlog, for example after an oracle was configured late, is submitted in portions of this size. */
const maxSubmissions = 100;

/** Other work runs after so many cards: hashing 10,000 of them takes 200 ms. */
const cardsPerTurn = 250;

interface Progress {
  result: TickResult | null;
  made: BatchDocument | null;
  submitted: number[];
  failure: TickFailure | null;
}

export interface TickDeps {
  batches: BatchStore;
  ticks: TickStore;
  inLeasedTransaction: InLeasedTransaction;
  writeEvent: Emit;
  /** If undefined, the signed log stands alone. */
  oracle: Oracle | undefined;
  leases: Pick<Leases, 'run'>;
  publishedCards: PublishedCards;
  /** If undefined, nothing is signed; batches that are already signed are still submitted. */
  signer: Signer | undefined;
  leaseTtlMs?: number;
  clock: Clock;
  logger: Logger;
}

export type Tick = ReturnType<typeof createTick>;

/** Runs a tick under the lease; `ran: false` while another runs. Throws LeaseLostError when it is cut short. */
export function createTick(deps: TickDeps): () => Promise<LeaseOutcome<TickAnswer>> {
  const { batches, ticks, inLeasedTransaction, signer, clock, logger } = deps;
  const hasOracle = deps.oracle !== undefined;
  const submitter = createSubmitter(deps);

  async function run(lease: HeldLease): Promise<TickAnswer> {
    const startedAt = new Date(clock());
    // A tick that is still marked as running has died.
    await changeState(lease, (before) => beginTick(before, { token: lease.token, startedAt }));
    const progress: Progress = { result: null, made: null, submitted: [], failure: null };
    try {
      progress.result = await work(lease, progress);
    } catch (error) {
      await endBadly(lease, startedAt, error);
      throw lease.signal.aborted ? lease.signal.reason : error;
    }
    const { result, made, failure } = progress;
    const finishedAt = await noteEnd(lease, { startedAt, result, failure });
    return {
      startedAt: toInstant(startedAt),
      finishedAt: toInstant(finishedAt),
      result,
      // As it is stored now, with its receipt if it has one.
      batch: made === null ? null : toPublished((await batches.find(made._id)) ?? made),
      made: made === null ? [] : [made._id],
      submitted: progress.submitted,
      pending: hasOracle ? await batches.countWithoutReceipt() : 0,
      failure,
    };
  }

  /** Older batches first, because the oracle and the subscribers of the events follow the chain. */
  async function work(lease: HeldLease, progress: Progress): Promise<TickResult> {
    if (!(await submitOlder(lease, progress))) return 'held';
    if (signer === undefined) return 'no_key';
    const latest = await batches.latest();
    progress.failure = await submitter.doubt(lease, latest);
    if (progress.failure !== null) return 'held';
    const { cards } = await deps.publishedCards();
    if (cards.length > maxEntries) {
      logger.error({ cards: cards.length, maxEntries }, 'there are more score cards than a batch holds');
      progress.failure = 'too_many_entries';
      return 'held';
    }
    const content = await contentOf(cards, lease.signal);
    if (isUnchanged(content, latest)) return latest === null ? 'empty' : 'unchanged';
    const header = nextHeader(content, latest, { at: new Date(clock()), keyId: signer.keyId });
    const signed = { header, signature: signer.sign(header), publicKey: signer.publicKey };
    const batch = await inLeasedTransaction(lease, async (session) => {
      const written = await batches.insert(session, signed, content.entries);
      // With an oracle, the event waits for the receipt.
      if (!hasOracle) await submitter.announce(session, written, false);
      return written;
    });
    progress.made = batch;
    await submit(lease, batch, progress);
    return 'published';
  }

  /** Resolves to false if a batch still waits for its receipt. */
  async function submitOlder(lease: HeldLease, progress: Progress): Promise<boolean> {
    if (!hasOracle) return true;
    for (let count = 0; count < maxSubmissions; count += 1) {
      const oldest = await batches.oldestWithoutReceipt();
      if (oldest === null) return true;
      if (!(await submit(lease, oldest, progress))) return false;
    }
    return (await batches.oldestWithoutReceipt()) === null;
  }

  async function submit(lease: HeldLease, batch: BatchDocument, progress: Progress): Promise<boolean> {
    progress.failure = await submitter.submit(lease, batch);
    if (progress.failure !== null) return false;
    if (hasOracle) progress.submitted.push(batch._id);
    return true;
  }

  async function changeState(lease: HeldLease, next: (before: TickState) => TickState): Promise<void> {
    await inLeasedTransaction(lease, async (session) => ticks.save(session, next(await ticks.read(session))));
  }

  /** `note` is null for a tick that was stopped halfway. */
  async function noteEnd(lease: HeldLease, note: Omit<TickNote, 'finishedAt'> | null): Promise<Date> {
    const finishedAt = new Date(clock());
    await changeState(lease, (before) => endTick(before, note === null ? null : { ...note, finishedAt }));
    return finishedAt;
  }

  /** A tick cut short by a stop has not failed. If another instance holds the lease now, this write is refused like all. */
  async function endBadly(lease: HeldLease, startedAt: Date, error: unknown): Promise<void> {
    const cutShort = lease.signal.aborted || error instanceof LeaseLostError;
    const note = cutShort ? null : ({ startedAt, result: null, failure: 'internal' } as const);
    await noteEnd(lease, note).catch((failed: unknown) =>
      logger.warn({ err: failed }, 'the end of a failed tick was not noted'),
    );
  }

  return () => deps.leases.run(publisherLease, deps.leaseTtlMs ?? usualLeaseTtlMs, run);
}

/** Hashes the cards into the tree of a batch. Throws Error on two cards of one anchor and corridor. */
export async function contentOf(
  cards: readonly ScoreCard[],
  signal: AbortSignal,
): Promise<{ entries: Entry[]; root: string; size: number }> {
  const unordered: Entry[] = [];
  for (let start = 0; start < cards.length; start += cardsPerTurn) {
    signal.throwIfAborted();
    unordered.push(...cards.slice(start, start + cardsPerTurn).map(toEntry));
    await nextTurn();
  }
  const entries = inOrder(unordered);
  const root = rootOf(treeOver(entries.map(({ leafHash }) => leafHash)));
  return { entries, root, size: entries.length };
}

/** Asks the oracle each question once: what fails is tried again by the next tick. */
function createSubmitter(
  deps: Pick<TickDeps, 'batches' | 'inLeasedTransaction' | 'writeEvent' | 'oracle' | 'clock' | 'logger'>,
) {
  const { batches, oracle, logger } = deps;

  /** A refusal needs a person; whatever else it is may heal by itself. */
  function told({ failure, detail }: OracleFailure, fields: object): TickFailure {
    const level = failure === 'oracle_refused' ? 'error' : 'warn';
    logger[level]({ ...fields, failure, detail }, 'the oracle does not do what it was asked for');
    return failure;
  }

  async function toSubmission(batch: BatchDocument): Promise<Submission> {
    const { _id: sequence, header, headerHash } = batch;
    const texts = await batches.readEntries(sequence);
    return { sequence, headerHash, size: header.size, body: bodyOf(batch, texts) };
  }

  /** Writes the event of a batch. */
  async function announce(session: ClientSession, batch: BatchDocument, submitted: boolean): Promise<void> {
    const { _id: sequence, header, headerHash } = batch;
    const { root, size } = header;
    await deps.writeEvent(session, 'publisher.tick', { sequence, root, headerHash, size, submitted });
  }

  return {
    announce,

    /** Why the log must not be continued now, by what the oracle has; null if it may, and without an oracle. */
    async doubt({ signal }: HeldLease, latest: BatchDocument | null): Promise<TickFailure | null> {
      if (oracle === undefined) return null;
      const answer = await untilAborted(signal, oracle.head);
      if ('failure' in answer) return told(answer, { asked: 'head' });
      const lack = 'silent' in answer ? null : whatTheLogLacks(headOf(latest), answer.head);
      if (lack === null) return null;
      logger.error({ latest: latest?._id ?? 0, lack }, 'the log lacks batches that the oracle has');
      return 'log_behind';
    },

    /** Submits one batch, or returns why it has no receipt. The batches before it must have receipts. */
    async submit(lease: HeldLease, batch: BatchDocument): Promise<TickFailure | null> {
      if (oracle === undefined) return null;
      const submission = await toSubmission(batch);
      const answer = await untilAborted(lease.signal, () => oracle.submit(submission));
      if ('failure' in answer) return told(answer, { sequence: batch._id });
      const submittedAt = new Date(deps.clock());
      await deps.inLeasedTransaction(lease, async (session) => {
        if (await batches.saveReceipt(session, batch._id, answer.receipt, submittedAt))
          await announce(session, batch, true);
      });
      return null;
    },
  };
}

/** The entries are JSON already. */
function bodyOf({ header, signature, publicKey }: BatchDocument, entries: readonly string[]): string {
  const head = JSON.stringify({ header, signature, publicKey }).slice(0, -1);
  return `${head},"entries":[${entries.join(',')}]}`;
}
