import pLimit from 'p-limit';
import type { ObserverRound } from '../../../contract/schemas/observations.js';
import type { HeldLease, LeaseOutcome, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import { type Clock, toInstant } from '../../ports.js';
import { untilAborted } from '../../timing.js';
import type { FleetAnchor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { AskAnchor } from './ask-anchor.js';
import type { ObservationStore } from './store.js';

export const observerLease = 'observer';
const leaseTtlMs = 30_000;
/** The number of anchors asked at the same time. */
const anchorsAtOnce = 32;
export interface ObserverDeps {
  store: Pick<ObservationStore, 'find' | 'keep'>;
  directory: Pick<AnchorDirectory, 'anchors' | 'corridor'>;
  askAnchor: AskAnchor;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  clock: Clock;
}

/**
 * Runs one round: asks each anchor once, those first that were observed longest ago, and stores each observation as soon as
 * it is complete. Anchors that were observed less than `leastAgeMs` ago are skipped.
 */
export type Observer = (leastAgeMs: number) => Promise<LeaseOutcome<ObserverRound>>;

export function createObserver(deps: ObserverDeps): Observer {
  const { store, directory, askAnchor, clock } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);

  async function round(lease: HeldLease, leastAgeMs: number): Promise<ObserverRound> {
    const nowMs = clock();
    const beganAt = performance.now();
    const anchors = directory.anchors();
    const found = await store.find(anchors.map(({ id }) => id));
    const done = { anchors: 0, calls: 0 };

    async function observe(anchor: FleetAnchor): Promise<void> {
      lease.signal.throwIfAborted();
      const served = anchor.corridors.flatMap(({ id }) => directory.corridor(id) ?? []);
      const observation = await askAnchor(anchor.id, served);
      lease.signal.throwIfAborted();
      await inLeasedTransaction(lease, (session) => store.keep(session, anchor.id, observation));
      done.anchors += 1;
      done.calls += observation.made;
    }

    // A time ahead was stored before the clock was set back, and tells nothing about the age.
    const lastAt = ({ id }: FleetAnchor) => {
      const at = found.find(({ _id }) => _id === id)?.observedAt.getTime() ?? 0;
      return at > nowMs ? 0 : at;
    };
    const inTurn = pLimit(anchorsAtOnce);
    const all = anchors
      .filter((anchor) => nowMs - lastAt(anchor) >= leastAgeMs)
      .sort((a, b) => lastAt(a) - lastAt(b))
      .map((anchor) => inTurn(() => observe(anchor)));
    // The error of one anchor, such as a lost database connection, is thrown after the others have finished.
    const ended = await untilAborted(lease.signal, () => Promise.allSettled(all));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    return { startedAt: toInstant(nowMs), ...done, durationMs: Math.round(performance.now() - beganAt) };
  }

  return (leastAgeMs) => deps.leases.run(observerLease, leaseTtlMs, (lease) => round(lease, leastAgeMs));
}
