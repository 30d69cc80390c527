import type { PublishedCard } from '../../../contract/schemas/score-card.js';
import type { PublicScores } from '../../../contract/schemas/scores.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { createCache } from '../../cache/cache.js';
import type { Clock } from '../../ports.js';

export type Batch = NonNullable<PublicScores['batch']>;
export type Run = { run: number; computedAt: Date };

/** Which published batch holds exactly the cards of a run: the newest one that does, or null. */
export type ProvingBatch = (run: Run) => Promise<Batch | null>;

/** The functions of the reputation feature for the cards by one formula. */
export interface CardsByFormula {
  /** The run that a cursor names, or the one in force. */
  runOf: (given: string | undefined) => Promise<Run | null>;
  runs: () => Promise<{ standsStillSince: Date | null }>;
  /** Cards of a run that follow the one of `after`, which is `anchor corridor`. */
  listCards: (
    run: number,
    query: { window: number; after: string | null; limit: number },
  ) => Promise<PublishedCard[]>;
  /** Every card of a run, in the order of a batch. It ends early if the run is dropped meanwhile. */
  everyCard: (run: number, window: number) => AsyncIterable<PublishedCard>;
}

export interface ProvingBatchDeps {
  /** Function of the publisher feature: the latest batch; null if there is none. */
  latestBatch: () => Promise<Batch | null>;
  /** Function of the publisher feature: the root of a batch of these cards, given in the order of a batch. */
  rootOfCards: (cards: AsyncIterable<PublishedCard>) => Promise<string>;
  /** Function of the publisher feature: the latest batch with this root, by this formula. */
  batchWithRoot: (root: string, formula: Formula) => Promise<Batch | null>;
  clock: Clock;
}

const batchFreshMs = 1_000;

/**
 * Finds the batch by its root, which differs as soon as one card does. The root is computed once per run and instance (1 s
 * for 50,000 cards), and only if something was published.
 */
export function createProvingBatch(
  deps: ProvingBatchDeps & { formula: Formula; cards: CardsByFormula; window: number },
): ProvingBatch {
  const { formula, rootOfCards, window, clock } = deps;
  const { runOf, everyCard } = deps.cards;
  const latest = createCache<void, Batch | null>({ load: deps.latestBatch, freshMs: batchFreshMs, clock });
  const batches = createCache<string, Batch | null>({
    load: (root) => deps.batchWithRoot(root, formula),
    freshMs: batchFreshMs,
    clock,
  });
  const roots = createCache<Run, string | null>({
    load: rootOfRun,
    keyOf: ({ run }) => String(run),
    freshMs: Number.POSITIVE_INFINITY,
    max: 10,
    clock,
  });

  /** Null if the run was dropped meanwhile, since cards may then be missing. */
  async function rootOfRun({ run }: Run): Promise<string | null> {
    const root = await rootOfCards(everyCard(run, window));
    return (await runOf(String(run)))?.run === run ? root : null;
  }

  return async (run) => {
    if ((await latest.get()) === null) return null;
    const root = await roots.get(run);
    return root === null ? null : batches.get(root);
  };
}
