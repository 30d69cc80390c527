import type { CardSigns, PublishedCard, ScoreCard } from '../../../contract/schemas/score-card.js';
import type { AnchorCards, ScoredRecord } from './card.rules.js';

/** Stands for all corridors together. It sorts before every corridor id, and none can be equal to it. */
export const allCorridors = '*';

/**
 * A card as one run of the refresh computed it; it is written once and never changed. Readers see a run only once it is
 * put in force.
 */
export interface RankedCard {
  /** Run, window, anchor and corridor, with spaces between. */
  _id: string;
  run: number;
  window: ScoreCard['window'];
  anchorId: string;
  anchorName: string;
  simulated: boolean;
  /** `*` for the anchor's record over all its corridors. */
  corridor: string;
  /** Position in the ranking of this corridor and window; null if the card is not ranked. */
  position: number | null;
  rank: number | null;
  scoredCorridors: number;
  /** A PublishedCard unless `corridor` is `*`. */
  record: PublishedCard | ScoredRecord;
  /** The signs beside the record. Cards of the previous release lack them. */
  signs?: CardSigns;
}

/** The cards of a run, ranked: per corridor the anchors that serve it now, and all active anchors over all corridors. */
export function rankedCards(run: number, anchors: readonly AnchorCards[]): RankedCard[] {
  const rankings = new Map<string, RankedCard[]>();
  const unranked: RankedCard[] = [];
  const put = (card: RankedCard, isRanked: boolean) => {
    const key = `${card.window} ${card.corridor}`;
    const ranking = isRanked ? (rankings.get(key) ?? []) : unranked;
    if (isRanked) rankings.set(key, ranking);
    ranking.push(card);
  };
  for (const { anchor, windows } of anchors) {
    const { id: anchorId, name: anchorName, simulated } = anchor;
    const isActive = anchor.status === 'active';
    const serves = new Set(anchor.corridors.map(({ corridor }) => corridor));
    for (const { window, own, ownSigns, cards } of windows) {
      const place = { run, window, anchorId, anchorName, simulated, position: null, rank: null };
      const idOf = (corridor: string) => `${run} ${window} ${anchorId} ${corridor}`;
      const scoredCorridors = cards.filter(({ card }) => card.score !== null).length;
      put(
        {
          _id: idOf(allCorridors),
          ...place,
          corridor: allCorridors,
          scoredCorridors,
          record: own,
          signs: ownSigns,
        },
        isActive,
      );
      for (const { card, signs } of cards) {
        const { corridor, score } = card;
        put(
          {
            _id: idOf(corridor),
            ...place,
            corridor,
            scoredCorridors: score === null ? 0 : 1,
            record: card,
            signs,
          },
          isActive && serves.has(corridor),
        );
      }
    }
  }
  return [...[...rankings.values()].flatMap(rank), ...unranked];
}

/**
 * Best score first, those without one last; among equals more outcomes first, then by anchor id, so that pages do not
 * shift. Positions count from 0 without gaps. Ranks count from 1; equal scores share one and the next is skipped.
 */
export function rank<T extends Rankable>(cards: readonly T[]): T[] {
  let shared = 0;
  let previous: string | null = null;
  return [...cards].sort(compare).map((card, position) => {
    const { score } = card.record;
    if (score !== previous) shared = position + 1;
    previous = score;
    return { ...card, position, rank: score === null ? null : shared };
  });
}

/** The data by which an anchor is ranked. */
interface Rankable {
  anchorId: string;
  record: Pick<ScoredRecord, 'score' | 'outcomes'>;
  position: number | null;
  rank: number | null;
}

function compare(a: Rankable, b: Rankable): number {
  const byScore = hundredths(b.record.score) - hundredths(a.record.score);
  if (byScore !== 0) return byScore;
  if (a.record.outcomes !== b.record.outcomes) return b.record.outcomes - a.record.outcomes;
  return a.anchorId < b.anchorId ? -1 : a.anchorId > b.anchorId ? 1 : 0;
}

/** A score has two places, so its hundredths are whole. No score sorts below every score. */
function hundredths(score: string | null): number {
  return score === null ? -1 : Math.round(Number(score) * 100);
}
