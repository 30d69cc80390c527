/** Calls of one round: to one anchor, and to all of them together. */
export const callsPerAnchor = 10;
export const callsPerRound = 1_000;
/** stellar.toml, and the /info of three servers; the rest are prices. */
const callsBesidesPrices = 4;
export const pricesPerAnchor = callsPerAnchor - callsBesidesPrices;

/** What of an anchor the plan goes by. */
export interface Plannable {
  anchorId: string;
  /** Those it serves, in a fixed order. */
  corridors: readonly string[];
  /** How many rounds have looked at it. */
  rounds: number;
  /** Null where none has. */
  observedAtMs: number | null;
  /** How long the last look took. */
  tookMs: number;
}

/**
 * Whom a round asks, and for the prices of which corridors. Who was looked at longest ago is asked first where not all of
 * them can be; among those who are asked, who was quick goes first, so that slow ones wait for each other alone. An anchor
 * of more corridors than prices is asked for them by turns.
 */
export function planRound(anchors: readonly Plannable[]): { anchorId: string; corridors: string[] }[] {
  const byAge = [...anchors].sort(
    (a, b) => (a.observedAtMs ?? 0) - (b.observedAtMs ?? 0) || (a.anchorId < b.anchorId ? -1 : 1),
  );
  const asked: Plannable[] = [];
  let left = callsPerRound;
  for (const anchor of byAge) {
    left -= callsBesidesPrices + Math.min(pricesPerAnchor, anchor.corridors.length);
    if (left < 0) break;
    asked.push(anchor);
  }
  return asked
    .sort((a, b) => a.tookMs - b.tookMs)
    .map(({ anchorId, corridors, rounds }) => ({ anchorId, corridors: byTurns(corridors, rounds) }));
}

function byTurns(corridors: readonly string[], round: number): string[] {
  if (corridors.length <= pricesPerAnchor) return [...corridors];
  const from = (round * pricesPerAnchor) % corridors.length;
  return [...corridors, ...corridors].slice(from, from + pricesPerAnchor);
}
