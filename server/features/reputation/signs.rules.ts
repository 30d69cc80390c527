import type { CardSigns, CardWithSigns, PublishedCard } from '../../../contract/schemas/score-card.js';
import { emptyTally, signCounts, type Tally } from './counters.rules.js';
import { fraction } from './fraction.rules.js';
import { emptySpread, type Spread } from './spread.rules.js';
import { withheldTimes } from './verified-tally.rules.js';

const places = 6;

/** The signs beside a card, which describe how its record came about (docs/reputation.md). */
export function signsOf(tally: Tally, { byAccount, byDay }: Spread): CardSigns {
  const { filled, notFilled, newAccountOutcomes, verifiedFilled, verifiedNotFilled } = tally.counts;
  const outcomes = filled + notFilled;
  const verified = verifiedFilled + verifiedNotFilled;
  return {
    ...signCounts(tally),
    accounts: byAccount.size,
    newAccountShare: share(newAccountOutcomes, outcomes),
    largestAccountShare: largestShare(byAccount),
    busiestDayShare: largestShare(byDay),
    ledgerOutcomes: Number(verified),
    anchorOutcomes: Number(outcomes - verified),
    timesWithheld: withheldTimes(tally),
  };
}

/** The signs of a record without outcomes. Cards of the previous release, which lack signs, get them until a refresh. */
export const noSigns: CardSigns = signsOf(emptyTally(), emptySpread());

export function withSigns(card: PublishedCard, signs: CardSigns | undefined): CardWithSigns {
  return { ...card, ...noSigns, ...signs };
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
