/** Limits on the calls of one round: per anchor, and for all anchors together. */
export const callsPerAnchor = 10;
export const callsPerRound = 1_000;
/** One for stellar.toml and three for the /info of the servers; the other calls are for prices. */
const callsBesidesPrices = 4;
export const pricesPerAnchor = callsPerAnchor - callsBesidesPrices;

/** The data of an anchor that the plan depends on. */
export interface Plannable {
  anchorId: string;
  /** The corridors that it serves, in a fixed order. */
  corridors: readonly string[];
  /** How many rounds have observed it. */
  rounds: number;
  /** Null if no round has observed it. */
  observedAtMs: number | null;
  /** The duration of the last observation. */
  tookMs: number;
}

/**
 * Selects the anchors that a round asks, and the corridors whose prices it requests. If the budget is too small for all,
 * the anchors observed longest ago are selected. The fastest of the selected anchors are asked first, so that slow ones
 * delay only each other. An anchor with more corridors than price calls is asked for them in rotation.
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
