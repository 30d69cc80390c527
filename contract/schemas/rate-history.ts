import { z } from 'zod';

import {
  anchorId,
  corridorId,
  decimalAnswer,
  enumOfMeanings,
  instant,
  page,
  pageQuery,
  sentInstant,
  signedDecimalAnswer,
} from './primitives.js';
import { quoteTier, unavailableReason, unrankedReason } from './rates.js';

/** How far apart the samples of a history are. Nothing is averaged between two samples. */
const historyResolutions = {
  '15m': 'Every stored sample: one per 15 minutes for 90 days, one per day before that.',
  '1h': 'The first sample of each hour.',
  '1d': 'The first sample of each UTC day, which is kept for good.',
} as const;

export const historyResolution = enumOfMeanings(historyResolutions);
export type HistoryResolution = z.infer<typeof historyResolution>;

/** The most days from `from` to `to`, by resolution. */
export const widestHistoryDays: Readonly<Record<HistoryResolution, number>> = {
  '15m': 31,
  '1h': 92,
  '1d': 3_660,
};

/** How many days before `to` a history begins if the request names no `from`. */
export const usualHistoryDays: Readonly<Record<HistoryResolution, number>> = { '15m': 1, '1h': 7, '1d': 90 };

/** What an anchor offered: the figures of its quote that are compared over time. */
const historyQuote = z
  .object({
    anchorId,
    tier: quoteTier,
    sellAmount: decimalAnswer.describe('Stablecoin given.'),
    receiveAmount: decimalAnswer.describe('Fiat received for it, all fees included.'),
    rate: decimalAnswer.describe('Fiat per one stablecoin, all fees included.'),
    costPercent: signedDecimalAnswer
      .nullable()
      .describe('What the quote cost against the mid-market, in per cent, or null where that was not known.'),
    score: decimalAnswer.nullable().describe("The anchor's score in this corridor at that time, or null."),
    unranked: unrankedReason
      .nullable()
      .describe(`Why the quote was not ranked; null where it was. ${unrankedReason.description}`),
  })
  .describe('The quote of an anchor in a sample.');

export const rateHistoryPoint = z
  .object({
    at: instant.describe('When the answer was given.'),
    asOf: instant.describe('When the oldest quote in it was fetched.'),
    amount: decimalAnswer.describe('The reference amount of the corridor at that time.'),
    best: z
      .object({ anchorId })
      .nullable()
      .describe('The anchor that a person would have chosen; null where no quote was ranked.'),
    quotes: z.array(historyQuote).describe('The quotes as they were listed, the best first.'),
    unavailable: z
      .array(z.object({ anchorId, reason: unavailableReason }))
      .describe('The anchors of the corridor that had no quote, and why.'),
  })
  .describe('A sample of the rates of a corridor.');
export type RateHistoryPoint = z.infer<typeof rateHistoryPoint>;

export const rateHistoryPage = page(rateHistoryPoint)
  .extend({
    corridor: corridorId,
    resolution: historyResolution,
    from: instant.describe('The beginning of the range, included.'),
    to: instant.describe('The end of the range, not included.'),
  })
  .describe('The samples of a range, newest first.');
export type RateHistoryPage = z.infer<typeof rateHistoryPage>;

export const rateHistoryQuery = z
  .object({
    resolution: historyResolution.optional().describe('How far apart the samples are; `15m` when absent.'),
    from: sentInstant
      .optional()
      .describe(
        'The beginning of the range, included; when absent 1, 7 or 90 days before `to`, by resolution.',
      ),
    to: sentInstant
      .optional()
      .describe(
        'The end of the range, not included; the end of the present 15 minutes when absent. At most 31, 92 or 3,660 ' +
          'days after `from`, by resolution.',
      ),
    day: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-21')
      .optional()
      .describe('A UTC day in place of `from` and `to`, today included. Required for CSV.'),
    ...pageQuery,
  })
  .strict();
export type RateHistoryQuery = z.infer<typeof rateHistoryQuery>;

export type HistoryQuote = z.infer<typeof historyQuote>;
