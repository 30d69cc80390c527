import type { PublicScores } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { BatchHeader } from '../../../contract/verification/verify-batch.js';
import { readCursor, readLimit, unknownCursor, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';

export interface ScoresDeps {
  /** Function of the publisher feature: the sequence of the latest batch; null where there is none. */
  latestSequence: () => Promise<number | null>;
  /** Function of the publisher feature; null for a batch that does not exist. */
  entriesFrom: (
    sequence: number,
    start: number,
    limit: number,
  ) => Promise<{ header: BatchHeader; items: ScoreCard[] } | null>;
  /** Function of the publisher feature: since when it may not publish what there is; null where it may. */
  logHeldSince: () => Promise<Date | null>;
  /** Function of the reputation feature. */
  publishedCards: () => Promise<{
    cards: ScoreCard[];
    computedAt: Date | null;
    standsStillSince: Date | null;
  }>;
}

const list = ['scores'];
const unpublished = 'cards';
/** What the first page was taken from, a batch or the cards, and where the next one begins. */
const placePattern = [/^(cards|[1-9]\d{0,14})$/, /^[1-9]\d{0,14}$/];

/** A page of the latest batch, or, where nothing is published, of the cards of window 30, by anchor and corridor. */
export function createGetPublicScores(deps: ScoresDeps) {
  return async (query: {
    limit?: string | undefined;
    cursor?: string | undefined;
  }): Promise<PublicScores> => {
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
    const held = await deps.logHeldSince();
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
