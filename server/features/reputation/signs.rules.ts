import type { CardSigns, CardWithSigns, ScoreCard } from '../../../contract/schemas/score-card.js';
import { emptyTally, signCounts, type Tally } from './counters.rules.js';

/** What is shown beside a card of how its record came about (docs/reputation.md). */
export function signsOf(tally: Tally): CardSigns {
  return signCounts(tally);
}

/** Of a record without outcomes, and of cards that the release before made, until the next refresh. */
export const noSigns: CardSigns = signsOf(emptyTally());

export function withSigns(card: ScoreCard, signs: CardSigns): CardWithSigns {
  return { ...card, ...signs };
}
