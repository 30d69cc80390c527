import type { HistoryResolution, RateHistoryPoint } from '../../../contract/schemas/rate-history.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';

/** The figures of an answer at the reference amount of a corridor. */
export interface Sample extends Pick<RatesAnswer, 'corridor' | 'amount' | 'asOf' | 'best' | 'unavailable'> {
  /** When the answer was given. */
  at: Date;
  quotes: ReturnType<typeof toSampleQuote>[];
}

export function toSample(at: Date, answer: RatesAnswer): Sample {
  const { corridor, amount, asOf, best, unavailable } = answer;
  return { at, corridor, amount, asOf, best, quotes: answer.quotes.map(toSampleQuote), unavailable };
}

function toSampleQuote(quote: RateQuote) {
  const { anchorName, simulated, sep38, estimate, costUnavailable, cost, reputation, ...kept } = quote;
  return {
    ...kept,
    costPercent: cost?.percent ?? null,
    referenceRate: cost?.reference.rate ?? null,
    score: reputation.score,
    outcomes: reputation.outcomes,
  };
}

/** A sample as lists show it; files have all of its quotes. */
export function toPoint({ at, asOf, amount, best, quotes, unavailable }: Sample): RateHistoryPoint {
  const shown = quotes.map(
    ({ anchorId, tier, sellAmount, receiveAmount, rate, costPercent, score, unranked }) => ({
      anchorId,
      tier,
      sellAmount,
      receiveAmount,
      rate,
      costPercent,
      score,
      unranked,
    }),
  );
  return { at: at.toISOString(), asOf, amount, best, quotes: shown, unavailable };
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Each slot of 15 minutes, counted from midnight UTC, has at most one sample per corridor. */
export const slotMs = 15 * minuteMs;

const periodMs: Readonly<Record<HistoryResolution, number>> = {
  '15m': slotMs,
  '1h': 60 * minuteMs,
  '1d': dayMs,
};

export const resolutions = ['15m', '1h', '1d'] as const satisfies readonly HistoryResolution[];

/** When the slot, hour or UTC day that holds this instant began. */
export function startOf(resolution: HistoryResolution, epochMs: number): number {
  return epochMs - (epochMs % periodMs[resolution]);
}

/** The columns of a file in order. New ones are added at the end. Lines end with CRLF (RFC 4180). */
export const csvHeader =
  'at,corridor,amount,anchorId,best,tier,sellAmount,receiveAmount,rate,adjusted,feeTotal,feeAsset,deliveryMethod,' +
  'quotedAt,costPercent,referenceRate,score,outcomes,expectedReceive,worth,unranked,unavailable\r\n';
const columns = csvHeader.trim().split(',');

/** The lines of a sample: its quotes in the order of the answer, then the anchors without one. */
export function csvRows(sample: Sample): string {
  const { at, corridor, amount, best } = sample;
  const quoted = sample.quotes.map(({ fee, ...quote }) => ({
    ...quote,
    feeTotal: fee?.total,
    feeAsset: fee?.asset,
  }));
  const others = sample.unavailable.map(({ anchorId, reason }) => ({ anchorId, unavailable: reason }));
  const rows = [...quoted, ...others].map((each): Readonly<Record<string, unknown>> => {
    return { ...each, at: at.toISOString(), corridor, amount, best: best?.anchorId === each.anchorId };
  });
  return rows
    .map((row) => `${columns.map((name) => escaped(String(row[name] ?? ''))).join(',')}\r\n`)
    .join('');
}

function escaped(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
