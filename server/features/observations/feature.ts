import type { Connection } from 'mongoose';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, Random } from '../../ports.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { type AskAnchorDeps, createAskAnchor } from './ask-anchor.js';
import { createObserver, observerLease } from './observer.js';
import { createObservationsRouter } from './router.js';
import { createObservations } from './service.js';
import { createObservationStore } from './store.js';

/** Leases to seed at startup. */
export const observationLeases = [observerLease] as const;

/** An anchor is due after this share of the interval, because the scheduler varies its intervals by a tenth. */
const dueAfterShare = 0.8;

export interface ObservationsFeatureDeps extends Pick<AskAnchorDeps, 'offers' | 'midMarketOf' | 'outbound'> {
  connection: Connection;
  directory: AnchorDirectory;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  /** The interval at which the scheduler has the anchors observed. */
  everyMs: number;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  random: Random;
  clock: Clock;
}

/** Observations of the anchors, which need no intents and do not influence any score. */
export function createObservationsFeature(deps: ObservationsFeatureDeps) {
  const store = createObservationStore(deps.connection);
  const observe = createObserver({ ...deps, store, askAnchor: createAskAnchor(deps) });
  const observations = createObservations({ ...deps, store, observe: () => observe(0) });
  /** A job. Each instance runs it at its own times, yet an anchor is asked only once per interval. */
  const observeDue = () => observe(deps.everyMs * dueAfterShare);

  return { router: createObservationsRouter({ observations, publicCache: deps.publicCache }), observeDue };
}
