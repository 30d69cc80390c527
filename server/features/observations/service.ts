import type {
  AnchorObservations,
  ObservationWindow,
  ObserverRound,
} from '../../../contract/schemas/observations.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { toCorridor, toService } from './answer.rules.js';
import type { Observer } from './observer.js';
import type { ObservationStore } from './store.js';

export interface Observations {
  /** Throws UNKNOWN_ANCHOR. */
  ofAnchor(anchorId: string, window: ObservationWindow): Promise<AnchorObservations>;
  /** Runs one round. Throws RUN_IN_PROGRESS while another instance runs one. */
  observeNow(): Promise<ObserverRound>;
}

const dayMs = 86_400_000;

/** The anchor as the directory describes it. */
type DescribedAnchor = Awaited<ReturnType<AnchorDirectory['getAnchor']>>;

export function createObservations(deps: {
  store: Pick<ObservationStore, 'find' | 'listDays'>;
  directory: Pick<AnchorDirectory, 'getAnchor' | 'corridor'>;
  observe: () => ReturnType<Observer>;
  clock: Clock;
}): Observations {
  const { store, directory, clock } = deps;
  async function make(anchor: DescribedAnchor, window: ObservationWindow): Promise<AnchorObservations> {
    const { id, name, simulated, status } = anchor;
    const from = new Date(clock() - (window - 1) * dayMs);
    const [[known], days] = await Promise.all([store.find([id]), store.listDays(id, from)]);
    const corridors = anchor.corridors.filter(({ corridor }) => directory.corridor(corridor) !== undefined);
    return {
      anchorId: id,
      anchorName: name,
      simulated,
      status,
      window,
      firstObservedAt: known?.firstObservedAt.toISOString() ?? null,
      lastObservedAt: known?.observedAt.toISOString() ?? null,
      services: (known?.services ?? []).map((latest) => toService(latest, days)),
      corridors: corridors
        .map(({ corridor }) =>
          toCorridor(
            corridor,
            known?.corridors.find((each) => each.corridor === corridor),
            days,
          ),
        )
        .sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
    };
  }

  return {
    async ofAnchor(anchorId, window) {
      return make(await directory.getAnchor(anchorId), window);
    },
    async observeNow() {
      const run = await deps.observe();
      if (run.ran) return run.value;
      throw new ApiError('RUN_IN_PROGRESS', 'Another round is under way.', { startedAt: run.startedAt });
    },
  };
}
