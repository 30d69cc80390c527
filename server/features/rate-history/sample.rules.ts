import type { HistoryResolution } from '../../../contract/schemas/rate-history.js';
import type { RateQuote, RatesAnswer } from '../../../contract/schemas/rates.js';

/** A quote in a sample. */
export type SampleQuote = Pick<
  RateQuote,
  | 'anchorId'
  | 'tier'
  | 'sellAmount'
  | 'receiveAmount'
  | 'rate'
  | 'adjusted'
  | 'fee'
  | 'deliveryMethod'
  | 'quotedAt'
  | 'expectedReceive'
  | 'worth'
  | 'unranked'
> & {
  costPercent: string | null;
  referenceRate: string | null;
  score: string | null;
  outcomes: number;
};

/** The figures of an answer at the reference amount of a corridor. */
export interface Sample extends Pick<RatesAnswer, 'corridor' | 'amount' | 'asOf' | 'best' | 'unavailable'> {
  /** When the answer was given. */
  at: Date;
  quotes: SampleQuote[];
}

export function toSample(at: Date, answer: RatesAnswer): Sample {
  const { corridor, amount, asOf, best, unavailable } = answer;
  return { at, corridor, amount, asOf, best, quotes: answer.quotes.map(toSampleQuote), unavailable };
}

function toSampleQuote(quote: RateQuote): SampleQuote {
  const { anchorName, simulated, sep38, estimate, costUnavailable, cost, reputation, ...kept } = quote;
  return {
    ...kept,
    costPercent: cost?.percent ?? null,
    referenceRate: cost?.reference.rate ?? null,
    score: reputation.score,
    outcomes: reputation.outcomes,
  };
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Each slot of 15 minutes, counted from midnight UTC, has at most one sample per corridor. */
export const slotMs = 15 * minuteMs;

/** How long every sample is kept; after that, the first one of each UTC day stays. */
export const keptMs = 90 * dayMs;

const periodMs: Readonly<Record<HistoryResolution, number>> = {
  '15m': slotMs,
  '1h': 60 * minuteMs,
  '1d': dayMs,
};

/** When the slot, hour or UTC day that holds this instant began. */
export function startOf(resolution: HistoryResolution, epochMs: number): number {
  return epochMs - (epochMs % periodMs[resolution]);
}

/**
 * The coarsest resolution that a sample belongs to, given the one before it: `1d` for the first of a UTC day, `1h` for
 * the first of another hour, else `15m`. Undefined if the previous sample is in the same slot or a later one.
 */
export function grainOf(epochMs: number, previousMs: number | null): HistoryResolution | undefined {
  if (previousMs === null) return '1d';
  const isLater = (resolution: HistoryResolution) =>
    startOf(resolution, epochMs) > startOf(resolution, previousMs);
  return (['1d', '1h', '15m'] as const).find(isLater);
}

/** Whether an answer may become a sample: nothing in it is older than 15 s, and an anchor has a quote. */
export function isSample(answer: Pick<RatesAnswer, 'stale' | 'quotes'>): boolean {
  return !answer.stale && answer.quotes.length > 0;
}
