import type { Announce } from '../../cache/changes.js';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Logger } from '../../ports.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { type AskAnchorDeps, createAskAnchor } from './ask-anchor.js';
import { createObserver, observerLease } from './observer.js';
import { createObservationsRouter } from './router.js';
import { createObservations, type ObservationsDeps } from './service.js';
import type { ObservationStore } from './store.js';

/** To be seeded at start. */
export const observationLeases = [observerLease] as const;

/** The times of the schedule waver by a tenth. */
const dueAfterShare = 0.8;

export interface ObservationsFeatureDeps extends Pick<AskAnchorDeps, 'offers' | 'midMarketOf' | 'outbound'> {
  store: ObservationStore;
  directory: AnchorDirectory;
  listPayouts: ObservationsDeps['listPayouts'];
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  /** How often the anchors are asked by the schedule. */
  everyMs: number;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  announce: Announce;
  clock: Clock;
  logger: Logger;
}

/** What can be seen of the anchors without a single intent, and nothing that a score is made of. */
export function createObservationsFeature(deps: ObservationsFeatureDeps) {
  const observe = createObserver({ ...deps, askAnchor: createAskAnchor(deps), onKept });
  const observations = createObservations({ ...deps, observe: () => observe(0) });
  /** A job: each instance has its own times, and an anchor is asked once in the interval all the same. */
  const observeDue = () => observe(deps.everyMs * dueAfterShare);

  function onKept(): void {
    observations.forget();
    deps.announce('observations');
  }

  return { router: createObservationsRouter({ observations, publicCache: deps.publicCache }), observeDue };
}
