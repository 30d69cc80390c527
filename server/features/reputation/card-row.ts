import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import type { ScoredRecord } from './card.rules.js';

/** Stands for all corridors together; sorts before every corridor and can be none. */
export const allCorridors = '*';

/**
 * A card as one run of the refresh computed it; rows are written once and never changed. `_id` is run, window, anchor
 * and corridor with spaces between. Readers see a run only once the pointer names it.
 */
export interface CardRow {
  _id: string;
  run: number;
  window: ScoreCard['window'];
  anchorId: string;
  anchorName: string;
  simulated: boolean;
  /** `*` for the anchor's record over all its corridors. */
  corridor: string;
  /** Place in the ranking of this corridor and window; null for what is not ranked. */
  position: number | null;
  rank: number | null;
  scoredCorridors: number;
  /** A ScoreCard where `corridor` is one. */
  record: ScoreCard | ScoredRecord;
}
