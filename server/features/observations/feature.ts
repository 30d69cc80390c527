import { initServer } from '@ts-rest/express';
import type { Connection } from 'mongoose';
import { observationsContract } from '../../../contract/endpoints/observations.js';
import type { AnchorObservations, ObservationWindow } from '../../../contract/schemas/observations.js';
import { resultOf } from '../../errors.js';
import { freshAnswer } from '../../http/send-json.js';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { type AskAnchorDeps, createAskAnchor } from './ask-anchor.js';
import { addedUp } from './counts.rules.js';
import { toCorridor, toService } from './figures.rules.js';
import { servicesOf } from './observation.rules.js';
import { createObserver, observerLease } from './observer.js';
import { createObservationStore } from './store.js';

/** Leases to seed at startup. */
export const observationLeases = [observerLease] as const;

const dayMs = 86_400_000;
/** An anchor is due after this share of the interval, because the scheduler varies its intervals by a tenth. */
const dueAfterShare = 0.8;
/** Observations change with a round, every few minutes. */
const freshSeconds = 15;

export interface ObservationsFeatureDeps extends Omit<AskAnchorDeps, 'directory'> {
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
  const observe = createObserver({ ...deps, store, askAnchor: createAskAnchor(deps) });

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
