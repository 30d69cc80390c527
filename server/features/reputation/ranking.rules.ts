/** What an anchor is ranked by. */
export interface Ranked {
  anchorId: string;
  score: string | null;
  outcomes: number;
}

export interface Placing<T> {
  row: T;
  /** From 0, without gaps: the order of the pages. */
  position: number;
  /** From 1; equal scores share a rank and the next one is skipped; null without a score. */
  rank: number | null;
}

/** Best score first, those without one last; more outcomes first among equals, then by id so that pages hold still. */
export function rankRows<T extends Ranked>(rows: readonly T[]): Placing<T>[] {
  let rank = 0;
  let previous: string | null = null;
  return [...rows].sort(compare).map((row, position) => {
    if (row.score !== previous) rank = position + 1;
    previous = row.score;
    return { row, position, rank: row.score === null ? null : rank };
  });
}

function compare(a: Ranked, b: Ranked): number {
  const byScore = hundredths(b.score) - hundredths(a.score);
  if (byScore !== 0) return byScore;
  if (a.outcomes !== b.outcomes) return b.outcomes - a.outcomes;
  return a.anchorId < b.anchorId ? -1 : a.anchorId > b.anchorId ? 1 : 0;
}

/** Two places, so that hundredths are whole; below every score without one. */
function hundredths(score: string | null): number {
  return score === null ? -1 : Math.round(Number(score) * 100);
}
