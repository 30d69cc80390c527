import type { AnchorObservations, ObservationWindow } from '../../../contract/schemas/observations.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { toCorridor, toService } from './answer.rules.js';
import { addedUp } from './counts.rules.js';
import type { Observer } from './observer.js';
import type { ObservationStore } from './store.js';

const dayMs = 86_400_000;

export type Observations = ReturnType<typeof createObservations>;

export function createObservations(deps: {
  store: Pick<ObservationStore, 'find' | 'listDays'>;
  directory: Pick<AnchorDirectory, 'getAnchor' | 'corridor'>;
  observe: () => ReturnType<Observer>;
  clock: Clock;
}) {
  const { store, directory, clock } = deps;
  return {
    /** Throws UNKNOWN_ANCHOR. */
    async ofAnchor(anchorId: string, window: ObservationWindow): Promise<AnchorObservations> {
      const { id, name, simulated, status, corridors } = await directory.getAnchor(anchorId);
      const from = new Date(clock() - (window - 1) * dayMs);
      const [[known], days] = await Promise.all([store.find([id]), store.listDays(id, from)]);
      const sums = addedUp(days);
      const latestOf = (corridor: string) => known?.corridors.find((each) => each.corridor === corridor);
      return {
        anchorId: id,
        anchorName: name,
        simulated,
        status,
        window,
        firstObservedAt: known?.firstObservedAt.toISOString() ?? null,
        lastObservedAt: known?.observedAt.toISOString() ?? null,
        services: (known?.services ?? []).map((latest) => toService(latest, sums)),
        corridors: corridors
          .filter(({ corridor }) => directory.corridor(corridor) !== undefined)
          .map(({ corridor }) => toCorridor(corridor, latestOf(corridor), sums))
          .sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
      };
    },
    /** Runs one round. Throws RUN_IN_PROGRESS while another instance runs one. */
    async observeNow() {
      const run = await deps.observe();
      if (run.ran) return run.value;
      throw new ApiError('RUN_IN_PROGRESS', 'Another round is under way.', { startedAt: run.startedAt });
    },
  };
}
