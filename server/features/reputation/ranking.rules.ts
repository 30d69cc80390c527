import type { LeaderboardEntry } from '../../../contract/schemas/reputation.js';
import type { AnchorCards, AnchorWindow, CardWindow } from './card.rules.js';
import type { Evidence } from './what-counts.rules.js';

/** The place of an entry in a ranking, which orders it among all others. */
export type RankedPlace = Pick<LeaderboardEntry, 'score' | 'outcomes' | 'anchorId'>;

/**
 * The ranking of a window, in one corridor among the anchors that serve it, or over all corridors among all active ones:
 * best score first, those without one last. Ranks count from 1; equal scores share one and the next is skipped.
 */
export function rankingOf(
  anchors: readonly AnchorCards[],
  window: CardWindow,
  corridor: string | null,
  evidence: Evidence,
): LeaderboardEntry[] {
  const entries = anchors.flatMap((anchor) => {
    const ofWindow = anchor.windows.find((each) => each.window === window);
    const record = ofWindow && recordIn(anchor, ofWindow, corridor);
    if (!record) return [];
    const { _id: anchorId, anchorName, simulated } = anchor;
    return [{ rank: null, anchorId, anchorName, simulated, evidence, ...record }];
  });
  let shared = 0;
  let previous: string | null = null;
  return entries.sort(compareRanked).map((entry, position) => {
    if (entry.score !== previous) shared = position + 1;
    previous = entry.score;
    return { ...entry, rank: entry.score === null ? null : shared };
  });
}

/** The order of a ranking: among equal scores more outcomes first, then by anchor id, so that pages do not shift. */
export function compareRanked(a: RankedPlace, b: RankedPlace): number {
  const byScore = hundredths(b.score) - hundredths(a.score);
  if (byScore !== 0) return byScore;
  if (a.outcomes !== b.outcomes) return b.outcomes - a.outcomes;
  return a.anchorId < b.anchorId ? -1 : a.anchorId > b.anchorId ? 1 : 0;
}

function recordIn(
  { isActive, serves }: AnchorCards,
  { own, cards }: AnchorWindow,
  corridor: string | null,
): AnchorWindow['own'] | undefined {
  if (corridor === null) return isActive ? own : undefined;
  const found = serves.includes(corridor) && cards.find(({ card }) => card.corridor === corridor);
  if (!found) return undefined;
  const {
    anchorId,
    corridor: _1,
    window,
    formula,
    evidence,
    speedTargetSeconds,
    simulated,
    ...record
  } = found.card;
  return { ...record, ...found.signs, scoredCorridors: record.score === null ? 0 : 1 };
}

/** A score has two places, so its hundredths are whole. No score sorts below every score. */
function hundredths(score: string | null): number {
  return score === null ? -1 : Math.round(Number(score) * 100);
}
