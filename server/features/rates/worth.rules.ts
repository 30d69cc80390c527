import type { Decimal } from 'decimal.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';
import { fiatAmount } from '../../amounts.rules.js';
import { Money, roundPayout } from './offer.rules.js';

/** From this many outcomes on, an anchor's own record counts in full; a score requires as many (docs/rates.md). */
export const fullRecordOutcomes = 30;
/** The fill rate that is assumed if no anchor of the corridor has a score. */
const assumedFillRate = '0.95';

/** An anchor's record in a corridor, as quotes show and use it: members of its card. */
export type QuoteReputation = RateQuote['reputation'];

/** The record that is assumed for an anchor that does not have one yet. */
export type TypicalRecord = RatesAnswer['typical'];

/**
 * The record that an anchor is expected to live up to. Each figure is a sum over `fullRecordOutcomes` outcomes instead
 * of a mean, so that nothing is divided and nothing rounded.
 */
export interface ExpectedRecord {
  /** Outcomes of thirty that are filled. */
  filled: Decimal;
  /** Thirty times the typical payout time. */
  settleSeconds: Decimal;
  /** Thirty times the mean shortfall. */
  shortfall: Decimal;
}

/**
 * The typical record of a corridor: the median of each figure over its scored anchors. With an even number of them it
 * is the worse of the two in the middle, so that an anchor without a record is not favoured.
 */
export function typicalRecord(
  records: readonly QuoteReputation[],
  speedTargetSeconds: number,
): TypicalRecord {
  const scored = records.filter(({ state }) => state === 'scored');
  return {
    anchors: scored.length,
    fillRate: worseMedian(scored, ({ fillRate }) => fillRate, 'high') ?? assumedFillRate,
    p50SettleSeconds:
      worseMedian(scored, ({ p50SettleSeconds }) => p50SettleSeconds, 'low') ?? speedTargetSeconds,
    meanShortfall: worseMedian(scored, ({ meanShortfall }) => meanShortfall, 'low') ?? '0',
  };
}

/** The anchor's own record, in proportion to its outcomes up to thirty; the typical one for the rest. */
export function expectedRecord(own: QuoteReputation, typical: TypicalRecord): ExpectedRecord {
  const outcomes = Math.min(own.outcomes, fullRecordOutcomes);
  const weigh = (ownFigure: string | number | null, typicalFigure: string | number) =>
    new Money(ownFigure ?? typicalFigure)
      .mul(outcomes)
      .add(new Money(typicalFigure).mul(fullRecordOutcomes - outcomes));
  return {
    filled: weigh(own.fillRate, typical.fillRate),
    settleSeconds: weigh(own.p50SettleSeconds, typical.p50SettleSeconds),
    shortfall: weigh(own.meanShortfall, typical.meanShortfall),
  };
}

function worseMedian<T extends string | number>(
  records: readonly QuoteReputation[],
  figureOf: (record: QuoteReputation) => T | null,
  better: 'high' | 'low',
): T | undefined {
  const bestFirst = records
    .flatMap((record) => figureOf(record) ?? [])
    .sort((a, b) => (better === 'high' ? new Money(b).cmp(a) : new Money(a).cmp(b)));
  return bestFirst[Math.floor(bestFirst.length / 2)];
}

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
