import type { PublicScores } from '../../../contract/schemas/scores.js';
import { createCache, lasting } from '../../cache/cache.js';
import { readCursor, readLimit, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';
import { type Batch, createProvingBatch, type ProvingBatchDeps, type Run } from './proving-batch.js';

export interface ScoresService {
  /** A page of every card of window 30, by anchor and corridor, with the batch that holds exactly these cards. */
  getPublicScores(page: { limit: string | undefined; cursor: string | undefined }): Promise<PublicScores>;
}

export type ScoresDeps = ProvingBatchDeps;

const window = 30;
const list = ['scores'];
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
  const provingBatch = createProvingBatch({ ...deps, window });
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
      const run = await runOf(givenRun);
      if (run === null) {
        const empty = { generatedAt: null, batch: null, items: [], nextCursor: null };
        return { version: '1', formula: 'v1', window, ...empty };
      }
      const batch = await provingBatch(run);
      const after = place.length === 0 ? null : place.join(' ');
      return pages.get({ run, batch, after, limit: readLimit(query.limit) });
    },
  };
}
