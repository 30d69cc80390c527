import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { PublicScores } from '../../../contract/schemas/scores.js';
import { createCache, lasting } from '../../cache/cache.js';
import { readCursor, readLimit, writeCursor } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';

type Batch = NonNullable<PublicScores['batch']>;
type Run = { run: number; computedAt: Date };

export interface ScoresService {
  /** A page of every card of window 30, by anchor and corridor, with the latest published batch. */
  getPublicScores(page: { limit: string | undefined; cursor: string | undefined }): Promise<PublicScores>;
}

export interface ScoresDeps {
  /** Function of the reputation feature: the run that a cursor names, or the one in force. */
  runOf: (given: string | undefined) => Promise<Run | null>;
  /** Function of the reputation feature: cards of a run, after the one at `anchor corridor`. */
  listCards: (
    run: number,
    query: { window: number; after: string | null; limit: number },
  ) => Promise<ScoreCard[]>;
  /** Function of the publisher feature. */
  latestBatch: () => Promise<Batch | null>;
  clock: Clock;
}

const window = 30;
const list = ['scores'];
const batchFreshMs = 1_000;
const bytesPerCard = 500;
const maxKeptBytes = 10_000_000;
const placePattern = [/^(0|[1-9]\d{0,14})$/, /^[a-z0-9-]{1,40}$/, /^[a-z0-9-]{1,30}$/];

interface Page {
  run: Run;
  batch: Batch | null;
  after: string | null;
  limit: number;
}

export function createScoresService(deps: ScoresDeps): ScoresService {
  const { runOf, listCards, clock } = deps;
  const latestBatch = createCache<void, Batch | null>({
    load: deps.latestBatch,
    lifetimeOf: lasting({ freshMs: batchFreshMs }),
    clock,
  });
  // Each page is made once per run and batch; the bytes of its response are kept with the object.
  const pages = createCache<Page, PublicScores>({
    load: makePage,
    keyOf: ({ run, batch, after, limit }) => [run.run, batch?.sequence, batch?.root, after, limit].join(' '),
    lifetimeOf: lasting({ freshMs: Number.POSITIVE_INFINITY }),
    bytesOf: ({ items }) => bytesPerCard * (1 + items.length),
    maxBytes: maxKeptBytes,
    clock,
  });

  async function makePage({ run, batch, after, limit }: Page): Promise<PublicScores> {
    const cards = await listCards(run.run, { window, after, limit: limit + 1 });
    const items = cards.slice(0, limit);
    const last = items.at(-1);
    return {
      version: '1',
      formula: 'v1',
      window,
      generatedAt: toInstant(run.computedAt.getTime()),
      batch: batch === null ? null : { sequence: batch.sequence, root: batch.root },
      items,
      nextCursor:
        cards.length > limit && last !== undefined
          ? writeCursor(list, [run.run, last.anchorId, last.corridor])
          : null,
    };
  }

  return {
    async getPublicScores(query) {
      const [givenRun, ...place] = readCursor(query.cursor, list, placePattern) ?? [];
      const [run, batch] = await Promise.all([runOf(givenRun), latestBatch.get()]);
      if (run === null) {
        const empty = { generatedAt: null, items: [], nextCursor: null };
        return { version: '1', formula: 'v1', window, batch, ...empty };
      }
      const after = place.length === 0 ? null : place.join(' ');
      return pages.get({ run, batch, after, limit: readLimit(query.limit) });
    },
  };
}
