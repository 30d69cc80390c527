import type { Decimal } from 'decimal.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';
import { Money } from './money.rules.js';

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
