import { initServer } from '@ts-rest/express';
import type { Connection } from 'mongoose';
import pLimit from 'p-limit';
import { observationsContract } from '../../../contract/endpoints/observations.js';
import type {
  AnchorObservations,
  ObservationWindow,
  ObserverRound,
} from '../../../contract/schemas/observations.js';
import { resultOf } from '../../errors.js';
import { freshAnswer } from '../../http/send-json.js';
import type { HeldLease, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import { toInstant } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { FleetAnchor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { type AskAnchorDeps, createAskAnchor } from './ask-anchor.js';
import { addedUp } from './counts.rules.js';
import { toCorridor, toService } from './figures.rules.js';
import { servicesOf } from './observation.rules.js';
import { createObservationStore } from './store.js';

const observerLease = 'observer';
/** Leases to seed at startup. */
export const observationLeases = [observerLease] as const;
const leaseTtlMs = 30_000;
/** The number of anchors asked at the same time. */
const anchorsAtOnce = 32;

const dayMs = 86_400_000;
/** An anchor is due after this share of the interval, because the scheduler varies its intervals by a tenth. */
const dueAfterShare = 0.8;
/** Observations change with a round, every few minutes. */
const freshSeconds = 15;

interface ObservationsFeatureDeps extends Omit<AskAnchorDeps, 'directory'> {
  connection: Connection;
  directory: AnchorDirectory;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  /** The interval at which the scheduler has the anchors observed. */
  everyMs: number;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

/** Observations of the anchors, which need no intents and do not influence any score. */
export function createObservationsFeature(deps: ObservationsFeatureDeps) {
  const { directory, clock } = deps;
  const store = createObservationStore(deps.connection);
  const askAnchor = createAskAnchor(deps);
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);

  /**
   * Asks each anchor once, those first that were observed longest ago, and stores each observation as soon as it is
   * complete. Anchors that were observed less than `leastAgeMs` ago are skipped.
   */
  async function round(lease: HeldLease, leastAgeMs: number): Promise<ObserverRound> {
    const nowMs = clock();
    const beganAt = performance.now();
    const anchors = directory.anchors();
    const found = await store.find(anchors.map(({ id }) => id));
    const done = { anchors: 0, calls: 0 };
    const asking = pLimit(anchorsAtOnce);
    // Each transaction updates the lease, so two at once would conflict.
    const storing = pLimit(1);

    async function observe(anchor: FleetAnchor): Promise<void> {
      lease.signal.throwIfAborted();
      const served = anchor.corridors.flatMap(({ id }) => directory.corridor(id) ?? []);
      const observation = await askAnchor(anchor.id, served);
      lease.signal.throwIfAborted();
      await storing(() =>
        inLeasedTransaction(lease, (session) => store.keep(session, anchor.id, observation)),
      );
      done.anchors += 1;
      done.calls += observation.made;
    }

    // A time ahead was stored before the clock was set back, and tells nothing about the age.
    const lastAt = ({ id }: FleetAnchor) => {
      const at = found.find(({ _id }) => _id === id)?.observedAt.getTime() ?? 0;
      return at > nowMs ? 0 : at;
    };
    const all = anchors
      .filter((anchor) => nowMs - lastAt(anchor) >= leastAgeMs)
      .sort((a, b) => lastAt(a) - lastAt(b))
      .map((anchor) => asking(() => observe(anchor)));
    // The error of one anchor, such as a lost database connection, is thrown after the others have finished.
    const ended = await untilAborted(lease.signal, () => Promise.allSettled(all));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    return { startedAt: toInstant(nowMs), ...done, durationMs: Math.round(performance.now() - beganAt) };
  }

  const observe = (leastAgeMs: number) =>
    deps.leases.run(observerLease, leaseTtlMs, (lease) => round(lease, leastAgeMs));

  /** Throws UNKNOWN_ANCHOR. */
  async function ofAnchor(anchorId: string, window: ObservationWindow): Promise<AnchorObservations> {
    const { id, name, simulated, status, corridors } = await directory.getAnchor(anchorId);
    const from = new Date(clock() - (window - 1) * dayMs);
    const [[known], days] = await Promise.all([store.find([id]), store.listDays(id, from)]);
    const sums = addedUp(days);
    return {
      anchorId: id,
      anchorName: name,
      simulated,
      status,
      window,
      firstObservedAt: known?.firstObservedAt.toISOString() ?? null,
      lastObservedAt: known?.observedAt.toISOString() ?? null,
      services: (known === undefined ? [] : servicesOf(known)).map((latest) => toService(latest, sums)),
      corridors: corridors
        .filter(({ corridor }) => directory.corridor(corridor) !== undefined)
        .map(({ corridor }) => toCorridor(corridor, known?.corridors?.[corridor], sums))
        .sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
    };
  }

  const router = initServer().router(observationsContract, {
    getObservations: async ({ params, query, res }) => {
      const window = Number(query.window ?? '30') as ObservationWindow;
      const body = await ofAnchor(params.anchor, window);
      return freshAnswer(res, { seconds: freshSeconds, public: deps.publicCache }, body);
    },
    observeAnchors: async () => ({ status: 200, body: resultOf(await observe(0)) }),
  });
  /** A job. Each instance runs it at its own times, yet an anchor is asked only once per interval. */
  const observeDue = () => observe(deps.everyMs * dueAfterShare);

  return { router, observeDue };
}
