import type { Observation } from './observation.js';
import type { KnownPrice } from './price-level.rules.js';
import type { ObservedAnchor } from './store.js';

/** A price older than this says nothing about the current price level. */
const freshMs = 3_600_000;

/** The latest own price per anchor and corridor, from this round or an earlier one, so that no anchor waits for others. */
export function createPriceBoard(known: readonly ObservedAnchor[], nowMs: number) {
  const board = new Map<string, Map<string, string>>();

  function enter(corridor: string, anchorId: string, rate: string | undefined): void {
    const prices = board.get(corridor) ?? new Map<string, string>();
    board.set(corridor, prices);
    if (rate === undefined) prices.delete(anchorId);
    else prices.set(anchorId, rate);
  }

  for (const { anchorId, corridors } of known) {
    for (const { corridor, quote } of corridors) {
      const isRecent = quote?.tier === 'anchor' && nowMs - quote.at.getTime() < freshMs;
      if (isRecent) enter(corridor, anchorId, quote.rate);
    }
  }

  return {
    enter(anchorId: string, observation: Observation): void {
      for (const { corridor, offer } of observation.corridors)
        enter(corridor, anchorId, offer?.tier === 'anchor' ? offer.rate : undefined);
    },
    pricesOf: (corridor: string): KnownPrice[] =>
      [...(board.get(corridor) ?? [])].map(([anchorId, rate]) => ({ anchorId, rate })),
  };
}
