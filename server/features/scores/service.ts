import type { PublicScores } from '../../../contract/schemas/scores.js';
import type { Formula } from '../../../contract/verification/formulas.js';
import { createCache } from '../../cache/cache.js';
import { readCursor, readLimit, unknownCursor, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';
import {
  type Batch,
  type CardsByFormula,
  createProvingBatch,
  type ProvingBatchDeps,
  type Run,
} from './proving-batch.js';

export interface ScoresService {
  /** A page of the cards of window 30, by anchor and corridor, with the batch that holds exactly the cards of the run. */
  getPublicScores(query: ScoresQuery): Promise<PublicScores>;
}

export interface ScoresQuery {
  /** Default: the leading formula. */
  formula?: Formula | undefined;
  limit: string | undefined;
  cursor: string | undefined;
}

export interface ScoresDeps extends ProvingBatchDeps {
  /** Function of the reputation feature. */
  leadingFormula: () => Promise<Formula>;
  /** Functions of the reputation feature. */
  cards: Record<Formula, CardsByFormula>;
}

const window = 30;
const list = ['scores'];
const placePattern = [/^v[12]$/, /^(0|[1-9]\d{0,14})$/, /^[a-z0-9-]{1,40}$/, /^[a-z0-9-]{1,30}$/];

interface Page {
  formula: Formula;
  standsStillSince: string | null;
  run: Run;
  batch: Batch | null;
  after: string | null;
  limit: number;
}

export function createScoresService(deps: ScoresDeps): ScoresService {
  const { cards, leadingFormula, clock } = deps;
  const provingBatch = {
    v1: createProvingBatch({ ...deps, formula: 'v1', cards: cards.v1, window }),
    v2: createProvingBatch({ ...deps, formula: 'v2', cards: cards.v2, window }),
  };
  // Each page is made once per run and batch; the bytes of its response are kept with the object.
  const pages = createCache<Page, PublicScores>({
    load: makePage,
    keyOf: ({ formula, standsStillSince, run, batch, after, limit }) =>
      [formula, standsStillSince, run.run, batch?.sequence, batch?.root, after, limit].join(' '),
    freshMs: Number.POSITIVE_INFINITY,
    max: 100,
    clock,
  });

  async function makePage(page: Page): Promise<PublicScores> {
    const { formula, standsStillSince, run, batch, after, limit } = page;
    const found = await cards[formula].listCards(run.run, { window, after, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return {
      version: '1',
      formula,
      standsStillSince,
      window,
      generatedAt: toInstant(run.computedAt.getTime()),
      batch: batch === null ? null : { sequence: batch.sequence, root: batch.root },
      items,
      nextCursor:
        found.length > limit && last !== undefined
          ? writeCursor(list, [formula, run.run, last.anchorId, last.corridor])
          : null,
    };
  }

  return {
    async getPublicScores(query) {
      const [begunWith, givenRun, ...place] = readCursor(query.cursor, list, placePattern) ?? [];
      // Pages that follow by cursor use the formula of the first page, even if another leads meanwhile.
      const formula = query.formula ?? (begunWith as Formula | undefined) ?? (await leadingFormula());
      if (begunWith !== undefined && begunWith !== formula) throw unknownCursor();
      const run = await cards[formula].runOf(givenRun);
      if (run === null) {
        const empty = { standsStillSince: null, generatedAt: null, batch: null, items: [], nextCursor: null };
        return { version: '1', formula, window, ...empty };
      }
      const batch = await provingBatch[formula](run);
      const since = (await cards[formula].runs()).standsStillSince;
      const standsStillSince = since === null ? null : toInstant(since.getTime());
      const after = place.length === 0 ? null : place.join(' ');
      return pages.get({ formula, standsStillSince, run, batch, after, limit: readLimit(query.limit) });
    },
  };
}
