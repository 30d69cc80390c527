import type { PublicScores } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { type PageQuery, readCursor, readLimit, unknownCursor, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';
import type { BatchLog } from './log.js';

/** The cards that are published, by anchor and corridor, and of when they are. */
export type PublishedCards = () => Promise<{
  cards: ScoreCard[];
  computedAt: Date | null;
  standsStillSince: Date | null;
}>;

export interface ScoresDeps {
  /** The sequence of the latest batch; null where there is none. */
  latestSequence: () => Promise<number | null>;
  entriesFrom: BatchLog['entriesFrom'];
  /** Since when the log may not publish what there is; null where it may. */
  heldSince: () => Promise<Date | null>;
  publishedCards: PublishedCards;
}

export type GetPublicScores = ReturnType<typeof createGetPublicScores>;

const list = ['scores'];
const unpublished = 'cards';
/** What the first page was taken from, a batch or the cards, and where the next one begins. */
const placePattern = [/^(cards|[1-9]\d{0,14})$/, /^[1-9]\d{0,14}$/];

/** A page of the latest batch, or, where nothing is published, of the cards of window 30, by anchor and corridor. */
export function createGetPublicScores(deps: ScoresDeps) {
  return async (query: PageQuery): Promise<PublicScores> => {
    const [begun, place = '0'] = readCursor(query.cursor, list, placePattern) ?? [];
    const source = begun ?? String((await deps.latestSequence()) ?? unpublished);
    const [start, limit] = [Number(place), readLimit(query.limit)];
    const end = start + limit;
    const { cards, computedAt, standsStillSince: still } = await deps.publishedCards();
    const nextOf = (size: number) => (end < size ? writeCursor(list, [source, end]) : null);
    const head = { version: '1', formula: 'v1', window: 30 } as const;
    if (source === unpublished)
      return {
        ...head,
        standsStillSince: still && toInstant(still),
        generatedAt: computedAt && toInstant(computedAt),
        batch: null,
        items: cards.slice(start, end),
        nextCursor: nextOf(cards.length),
      };
    const part = await deps.entriesFrom(Number(source), start, limit);
    if (part === null) throw unknownCursor();
    const { sequence, root, size, createdAt } = part.header;
    const held = await deps.heldSince();
    const since = held !== null && (still === null || held < still) ? held : still;
    return {
      ...head,
      standsStillSince: since && toInstant(since),
      generatedAt: createdAt,
      batch: { sequence, root },
      items: part.items,
      nextCursor: nextOf(size),
    };
  };
}
