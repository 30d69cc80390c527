import type {
  AnchorObservations,
  ObservationWindow,
  ObserverRound,
} from '../../../contract/schemas/observations.js';
import { ApiError } from '../../errors.js';
import { type Clock, toInstant } from '../../ports.js';
import type { AnchorDirectory } from '../anchors/service.js';
import { toCorridor, toFinding, toService } from './answer.rules.js';
import type { Observer } from './observer.js';
import type { Payout } from './paid.rules.js';
import type { ObservationStore } from './store.js';

export interface Observations {
  /** Throws UNKNOWN_ANCHOR. */
  ofAnchor(anchorId: string, window: ObservationWindow): Promise<AnchorObservations>;
  /** Runs one round. Throws RUN_IN_PROGRESS while another instance runs one. */
  observeNow(): Promise<ObserverRound>;
}

export interface ObservationsDeps {
  store: Pick<ObservationStore, 'find' | 'listDays'>;
  directory: Pick<AnchorDirectory, 'getAnchor' | 'corridor'>;
  /** The newest payouts since `since` of scored intents of an anchor in a corridor. */
  listPayouts: (query: {
    anchorId: string;
    corridor: string;
    since: Date;
    limit: number;
  }) => Promise<Payout[]>;
  observe: () => ReturnType<Observer>;
  clock: Clock;
}

const dayMs = 86_400_000;
const mostPayouts = 200;

/** The anchor as the directory describes it. */
type ObservedAnchor = Awaited<ReturnType<AnchorDirectory['getAnchor']>>;

export function createObservations(deps: ObservationsDeps): Observations {
  const { store, directory, clock } = deps;

  async function make(anchor: ObservedAnchor, window: ObservationWindow): Promise<AnchorObservations> {
    const { id, name, simulated, status } = anchor;
    const since = new Date(Math.floor(clock() / dayMs) * dayMs - (window - 1) * dayMs);
    const [known, days] = await Promise.all([
      store.find(id),
      store.listDays(id, toInstant(since.getTime()).slice(0, 10)),
    ]);
    const served = anchor.corridors.flatMap(({ corridor }) => directory.corridor(corridor) ?? []);
    const corridors = await Promise.all(
      served.map(async (corridor) => {
        const payouts = await deps.listPayouts({
          anchorId: id,
          corridor: corridor.id,
          since,
          limit: mostPayouts,
        });
        const latest = known?.corridors.find((each) => each.corridor === corridor.id);
        return toCorridor(corridor, latest, { days, payouts });
      }),
    );
    const newestFirst = [...(known?.findings ?? [])].sort(
      (a, b) => b.firstSeenAt.getTime() - a.firstSeenAt.getTime(),
    );
    return {
      anchorId: id,
      anchorName: name,
      simulated,
      status,
      window,
      firstObservedAt: known?.firstObservedAt.toISOString() ?? null,
      lastObservedAt: known?.observedAt.toISOString() ?? null,
      findings: newestFirst.map(toFinding),
      services: (known?.services ?? []).map((latest) => toService(latest, days)),
      corridors: corridors.sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
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
