import { fiatAmount } from '../../amounts.rules.js';
import { Money, roundPayout } from './money.rules.js';
import { type ExpectedRecord, fullRecordOutcomes } from './record.rules.js';

/**
 * The figures that `best` compares: R is the promised payout, S the expected shortfall, F the expected fill rate, P the
 * expected typical payout time and T the corridor's speed target (docs/rates.md says why the constants have these values):
 *
 *   expectedReceive = R × max(0, 1 − S)
 *   worth           = expectedReceive × (1 − a·(1 − F)) × (1 − b·P/(P + T))
 *
 * each rounded down to the places of the currency. All of a product is multiplied before the one division, and no
 * product has more digits than Money holds, so each result is the exact one rounded down.
 */

/** a: the share of the payout that an unfilled withdrawal costs a person. */
export const failureCost = '0.2';
/** b: the share that waiting costs at most; half of it at the speed target. */
export const waitingCost = '0.04';

/** The promise less the expected shortfall, rounded down. */
export function expectedReceive(receiveAmount: string, record: ExpectedRecord, decimals: number): string {
  const kept = Money.max(0, new Money(fullRecordOutcomes).sub(record.shortfall));
  const amount = new Money(receiveAmount).mul(kept).div(fullRecordOutcomes);
  return fiatAmount(roundPayout(amount, decimals), decimals);
}

/** `expectedReceive` less what failed withdrawals and waiting cost, rounded down. */
export function worthOf(
  expected: string,
  record: ExpectedRecord,
  terms: { speedTargetSeconds: number; decimals: number },
): string {
  const notFilled = new Money(fullRecordOutcomes).sub(record.filled);
  const filling = new Money(fullRecordOutcomes).sub(notFilled.mul(failureCost));
  // 1 − b·P/(P + T) = (P + T − b·P) / (P + T), all thirty times, as the record is.
  const seconds = record.settleSeconds.add(new Money(terms.speedTargetSeconds).mul(fullRecordOutcomes));
  const waiting = seconds.sub(record.settleSeconds.mul(waitingCost));
  const worth = new Money(expected).mul(filling).mul(waiting).div(seconds.mul(fullRecordOutcomes));
  return fiatAmount(roundPayout(worth, terms.decimals), terms.decimals);
}
