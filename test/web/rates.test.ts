import { describe, expect, it } from '@jest/globals';
import type { RateHistoryPoint } from '../../contract/schemas/rate-history.js';
import type { RateQuote } from '../../contract/schemas/rates.js';
import { type Ranked, rankQuotes } from '../../server/features/rates/ranking.rules.js';
import type { Problem } from '../../web/src/data/problem.js';
import type { StreamStanding } from '../../web/src/data/use-stream.js';
import { livenessOf } from '../../web/src/pages/rates/liveness.js';
import { reasonOf } from '../../web/src/pages/rates/offer-reason.js';
import { orderQuotes, sorts } from '../../web/src/pages/rates/order-quotes.js';
import { plotHistory, steadyRange } from '../../web/src/pages/rates/plot-history.js';
import { readTypedAmount, roundAmount } from '../../web/src/pages/rates/typed-amount.js';
import { seeded } from '../support/seeded.js';

const english = { decimals: 7, mark: '.', min: '10', max: '10000' } as const;
const french = { ...english, mark: ',' } as const;
const whole = { ...english, decimals: 0 } as const;
const unbounded = { decimals: 2, mark: '.' } as const;
const notANumber = ['-5', 'abc', '1e3', '1.2.3', '.', '1,2,3', '0x10', '9'.repeat(16)];

describe('an amount as it is typed', () => {
  it.each([
    ['100', english, '100'],
    [' 0100.50 ', english, '100.5'],
    ['1,000', english, '1000'],
    ['1,000.25', english, '1000.25'],
    ['99,5', english, '99.5'],
    ['1’000', english, '1000'],
    ['1\u202f000,25', french, '1000.25'],
    ['1.000,25', french, '1000.25'],
    ['99.5', french, '99.5'],
    ['99,500', french, '99.5'],
    ['10.1234567000', english, '10.1234567'],
    ['10', english, '10'],
    ['10000', english, '10000'],
    ['.5', unbounded, '0.5'],
  ])('%j, with %j, is %s', (typed, asked, read) => {
    expect(readTypedAmount(typed, asked)).toEqual({ kind: 'amount', amount: read });
  });

  it.each([
    ...notANumber.map((typed) => [typed, english, 'notANumber'] as const),
    ['10.12345678', english, 'tooManyDecimals'],
    ['10.5', whole, 'tooManyDecimals'],
    ['9.9999999', english, 'outOfRange'],
    ['10000.01', english, 'outOfRange'],
    ['0', english, 'outOfRange'],
    ['0.00', unbounded, 'outOfRange'],
  ] as const)('%j, with %j, is %s', (typed, asked, kind) => {
    expect(readTypedAmount(typed, asked)).toEqual({ kind });
  });
});

it('the amount to receive that is proposed is in whole units, but where it is below one unit', () => {
  expect(['152343.75', '0.92', '100'].map(roundAmount)).toEqual(['152343', '0.92', '100']);
});

/** Quotes that often have equal figures, so that ties are tested as well. */
function quotesOf(seed: number): Ranked[] {
  const random = seeded(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <T>(...values: T[]): T => values[below(values.length)] as T;
  return Array.from({ length: 12 }, (_, index) => {
    const isScored = below(3) > 0;
    return {
      anchorId: `anchor-${index}`,
      tier: oneOf('anchor', 'anchor', 'estimate'),
      adjusted: below(4) === 0,
      sellAmount: oneOf('100', '99.5', '33.3333333'),
      receiveAmount: oneOf('152039.72', '152261.35', '50680'),
      expectedReceive: oneOf('152000.00', '151000.5'),
      worth: oneOf('151740.94', '150631.83'),
      unranked: oneOf(null, null, null, 'above_band'),
      reputation: {
        state: isScored ? 'scored' : 'insufficient_data',
        score: isScored ? oneOf('90.76', '9.90', '100.00') : null,
        p50SettleSeconds: oneOf(31, 440, null),
        p95SettleSeconds: oneOf(108, 667, null),
      },
    };
  });
}

it.each(sorts)('the order of quotes in the page is the one that the service gives: %s', (sort) => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const best = rankQuotes(quotesOf(seed));
    const ids = orderQuotes(best, sort).map(({ anchorId }) => anchorId);
    expect({ seed, ids }).toEqual({ seed, ids: rankQuotes(best, sort).map(({ anchorId }) => anchorId) });
  }
});

const record = { outcomes: 100, fillRate: '1', p50SettleSeconds: 60, meanShortfall: '0' };

function quoteOf(anchorId: string, parts: Partial<RateQuote>, reputation: Partial<typeof record> = {}) {
  return {
    anchorId,
    anchorName: anchorId,
    simulated: false,
    tier: 'anchor',
    adjusted: false,
    sellAmount: '100',
    receiveAmount: '152000',
    worth: '151000',
    unranked: null,
    reputation: { ...record, ...reputation },
    ...parts,
  } as RateQuote;
}

const best = quoteOf('best', {});
const more = { receiveAmount: '153000' };
const answerOf = (...others: RateQuote[]) => ({ quotes: [best, ...others], best: { anchorId: 'best' } });

describe('why the first offer is first', () => {
  const worthMore = { why: 'worthMore', other: 'a', better: '514', more: '1000' };
  it.each([
    ['it is the only one', [], { why: 'only' }],
    ['nobody promises more', [quoteOf('less', { receiveAmount: '151000' })], { why: 'alsoMost' }],
    ['a better rate is an estimate', [quoteOf('a', { ...more, tier: 'estimate' })], { why: 'order' }],
    ['who promises more is worth less', [quoteOf('a', { ...more, worth: '150486' })], worthMore],
  ])('%s', (_, others, why) => {
    expect(reasonOf(best, answerOf(...others), 600)).toMatchObject({ kind: 'first', ...why });
  });
});

describe('what puts another offer behind the first', () => {
  it.each([
    ['failures', quoteOf('a', more, { fillRate: '0.8' }), 'fails', true],
    ['slowness', quoteOf('a', more, { p50SettleSeconds: 3_000 }), 'slow', true],
    ['shortfalls', quoteOf('a', {}, { meanShortfall: '0.02' }), 'short', false],
    ['the promise', quoteOf('a', { receiveAmount: '140000' }, { fillRate: '0.99' }), 'less', false],
    ['a short record', quoteOf('a', more, { outcomes: 4 }), 'new', true],
    ['that it is estimated', quoteOf('a', { tier: 'estimate' }), 'estimate', false],
  ])('is %s', (_, quote, cause, isMost) => {
    expect(reasonOf(quote, answerOf(quote), 600)).toMatchObject({ kind: 'behind', cause, isMost });
  });

  it('is told with the difference only where both are for one amount', () => {
    const other = quoteOf('a', { worth: '150486' });
    expect(reasonOf(other, answerOf(other), 600)).toMatchObject({ behind: '514' });
    const another = quoteOf('a', { sellAmount: '101', worth: '150486' });
    expect(reasonOf(another, answerOf(another), 600)).toMatchObject({ behind: undefined });
  });
});

const slot = 900;
const start = Date.parse('2026-11-21T09:00:00.000Z') / 1_000;

function sample(slots: number, quotes: Record<string, { rate?: string; unranked?: string }>) {
  const each = Object.entries(quotes);
  return {
    at: new Date((start + slots * slot) * 1_000).toISOString(),
    quotes: each.map(([anchorId, parts]) => ({ anchorId, rate: '1520', unranked: null, ...parts })),
  } as RateHistoryPoint;
}

describe('the history as lines', () => {
  it('goes from the oldest sample to the newest, with a line for each anchor by its id', () => {
    const newestFirst = [
      sample(1, { tidewater: { rate: '1521.5' }, harbour: { rate: '1519' } }),
      sample(0, { harbour: { rate: '1518' } }),
    ];
    expect(plotHistory(newestFirst, slot)).toEqual({
      times: [start, start + slot],
      lines: [
        { anchorId: 'harbour', values: [1518, 1519] },
        { anchorId: 'tidewater', values: [null, 1521.5] },
      ],
    });
  });

  it('breaks off where a slot has no sample, and fills nothing in', () => {
    const { times, lines } = plotHistory([sample(0, { harbour: {} }), sample(3, { harbour: {} })], slot);
    expect(times).toEqual([start, start + slot, start + 3 * slot]);
    expect(lines).toEqual([{ anchorId: 'harbour', values: [1520, null, 1520] }]);
  });

  it('has no quote outside the band', () => {
    const samples = [
      sample(0, { bait: { rate: '990000', unranked: 'above_band' } }),
      sample(1, { bait: {} }),
    ];
    expect(plotHistory(samples, slot).lines[0]).toEqual({ anchorId: 'bait', values: [null, 1520] });
  });
});

it('the scale is on round figures, and stays while rates move within them', () => {
  const scaleOf = (...values: number[]) =>
    steadyRange({ times: [], lines: [{ anchorId: 'harbour', values }] });
  expect(scaleOf(1_513.4, 1_528)).toEqual([1_500, 1_550]);
  expect(scaleOf(1_501, 1_549)).toEqual([1_500, 1_550]);
  expect(scaleOf(0.912, 0.921)).toEqual([0.9, expect.closeTo(0.94)]);
});

const live: StreamStanding = { state: 'live' };
const unreachable: Problem = { kind: 'unreachable' };
const offline: Problem = { kind: 'offline' };
const limited: Problem = {
  kind: 'limited',
  body: { code: 'RATE_LIMITED', message: 'This client holds 20 streams.', retryAfter: 10 },
};
const lost = (problem?: Problem): StreamStanding => ({ state: 'reconnecting', problem });

const of = (problem: Problem | undefined, standing: StreamStanding, isTroubled = false, isOnline = true) =>
  livenessOf({ problem, standing, isTroubled, isOnline });

it.each([
  ['live', of(undefined, live)],
  ['asking', of(undefined, live, true)],
  ['asking', of(undefined, { state: 'connecting' })],
  ['asking', of(undefined, lost(limited))],
  ['asking', of(undefined, { state: 'refused', problem: limited })],
  ['reconnecting', of(undefined, lost())],
  ['reconnecting', of(undefined, lost(unreachable))],
  ['reconnecting', of(unreachable, { state: 'connecting' })],
  ['offline', of(undefined, lost(offline))],
  ['offline', of(offline, { state: 'connecting' })],
  ['offline', of(undefined, live, false, false)],
])('the board says truly how it is kept up to date: %s (%#)', (expected, liveness) => {
  expect(liveness).toBe(expected);
});
