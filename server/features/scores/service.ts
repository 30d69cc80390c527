import type { PublicScores } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { readCursor, readLimit, unknownCursor, writeCursor } from '../../paging.js';
import { toInstant } from '../../ports.js';

export interface ScoresService {
  /** A page of the latest batch, or, where nothing is published, of the cards of window 30, by anchor and corridor. */
  getPublicScores(query: { limit: string | undefined; cursor: string | undefined }): Promise<PublicScores>;
}

/** Some entries of a published batch. */
export interface BatchPart {
  header: { sequence: number; root: string; size: number; createdAt: string };
  items: ScoreCard[];
}

export interface ScoresDeps {
  /** Function of the publisher feature: the sequence of the latest batch; null where there is none. */
  latestSequence: () => Promise<number | null>;
  /** Function of the publisher feature; null for a batch that does not exist. */
  entriesFrom: (sequence: number, start: number, limit: number) => Promise<BatchPart | null>;
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

export function createScoresService(deps: ScoresDeps): ScoresService {
  async function partOf(source: string, start: number, limit: number) {
    const { cards, computedAt } = await deps.publishedCards();
    if (source === unpublished) {
      const generatedAt = computedAt === null ? null : toInstant(computedAt.getTime());
      return { generatedAt, batch: null, items: cards.slice(start, start + limit), size: cards.length };
    }
    const part = await deps.entriesFrom(Number(source), start, limit);
    if (part === null) throw unknownCursor();
    const { sequence, root, size, createdAt } = part.header;
    return { generatedAt: createdAt, batch: { sequence, root }, items: part.items, size };
  }

  return {
    async getPublicScores(query) {
      const [begun, place = '0'] = readCursor(query.cursor, list, placePattern) ?? [];
      const source = begun ?? String((await deps.latestSequence()) ?? unpublished);
      const [start, limit] = [Number(place), readLimit(query.limit)];
      const { size, ...part } = await partOf(source, start, limit);
      const [{ standsStillSince: cardsStandStill }, logHeld] = await Promise.all([
        deps.publishedCards(),
        deps.logHeldSince(),
      ]);
      const standsStillSince = earlierOf(cardsStandStill, source === unpublished ? null : logHeld);
      const end = start + limit;
      return {
        version: '1',
        formula: 'v1',
        window: 30,
        standsStillSince: standsStillSince === null ? null : toInstant(standsStillSince),
        ...part,
        nextCursor: end < size ? writeCursor(list, [source, end]) : null,
      };
    },
  };
}

function earlierOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
