import { LRUCache } from 'lru-cache';
import type { PublicScores } from '../../../contract/schemas/scores.js';
import { readCursor, readLimit, writeCursor } from '../../paging.js';
import { type Clock, toInstant } from '../../ports.js';
import type { CardReader } from './card-reader.js';

type Batch = NonNullable<PublicScores['batch']>;

export interface PublicScoresService {
  getPublicScores(page: { limit: string | undefined; cursor: string | undefined }): Promise<PublicScores>;
}

const window = 30;
const list = ['scores'];
const batchKnownForMs = 1_000;
const maxKeptCards = 20_000;
const placePattern = [/^(0|[1-9]\d{0,14})$/, /^[a-z0-9-]{1,40}$/, /^[a-z0-9-]{1,30}$/];

/** Pages of the published cards, each made once for a run and batch. */
export function createPublicScores(deps: {
  reader: CardReader;
  /** The latest published batch, or null. */
  latestBatch: () => Promise<Batch | null>;
  clock: Clock;
}): PublicScoresService {
  const { reader, latestBatch, clock } = deps;
  const kept = new LRUCache<string, PublicScores>({
    maxSize: maxKeptCards,
    sizeCalculation: ({ items }) => 1 + items.length,
  });
  let known: { batch: Batch | null; at: number } | undefined;

  async function recentBatch(): Promise<Batch | null> {
    if (known === undefined || clock() - known.at >= batchKnownForMs) {
      known = { at: clock(), batch: await latestBatch() };
    }
    return known.batch;
  }

  return {
    async getPublicScores({ limit: limitText, cursor }) {
      const [givenRun, ...place] = readCursor(cursor, list, placePattern) ?? [];
      const after = place.length === 0 ? null : place.join(' ');
      const limit = readLimit(limitText);
      const [run, batch] = await Promise.all([reader.runOf(givenRun), recentBatch()]);
      const head = { version: '1', formula: 'v1', window } as const;
      if (run === null) return { ...head, generatedAt: null, batch, items: [], nextCursor: null };
      const key = [run.run, batch?.sequence, batch?.root, after, limit].join(' ');
      const answer = kept.get(key);
      if (answer !== undefined) return answer;
      const cards = await reader.cards(run.run, window, after, limit + 1);
      const items = cards.slice(0, limit);
      const last = items.at(-1);
      const made: PublicScores = {
        ...head,
        generatedAt: toInstant(run.computedAt.getTime()),
        batch: batch === null ? null : { sequence: batch.sequence, root: batch.root },
        items,
        nextCursor:
          cards.length > limit && last !== undefined
            ? writeCursor(list, [run.run, last.anchorId, last.corridor])
            : null,
      };
      kept.set(key, made);
      return made;
    },
  };
}
