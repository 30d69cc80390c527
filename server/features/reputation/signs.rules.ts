import type { CardSigns, CardWithSigns, ScoreCard } from '../../../contract/schemas/score-card.js';
import { emptyTally, signCounts, type Tally } from './counters.rules.js';
import { fraction } from './fraction.rules.js';
import { emptySpread, type Spread } from './spread.rules.js';

const places = 6;

/** What is shown beside a card of how its record came about (docs/reputation.md). */
export function signsOf(tally: Tally, { byAccount, byDay }: Spread): CardSigns {
  const { filled, notFilled, newAccountOutcomes } = tally.counts;
  return {
    ...signCounts(tally),
    accounts: byAccount.size,
    newAccountShare: share(newAccountOutcomes, filled + notFilled),
    largestAccountShare: largestShare(byAccount),
    busiestDayShare: largestShare(byDay),
  };
}

/** Of a record without outcomes, and of cards that the release before made, until the next refresh. */
export const noSigns: CardSigns = signsOf(emptyTally(), emptySpread());

export function withSigns(card: ScoreCard, signs: CardSigns): CardWithSigns {
  return { ...card, ...signs };
}

function largestShare(outcomes: ReadonlyMap<string, number>): string | null {
  let largest = 0;
  let all = 0;
  for (const count of outcomes.values()) {
    if (count > largest) largest = count;
    all += count;
  }
  return share(BigInt(largest), BigInt(all));
}

/** Rounded up, so that rounding never favours the anchor. */
function share(part: bigint, whole: bigint): string | null {
  return whole === 0n ? null : fraction(part, whole, places, 'up');
}
