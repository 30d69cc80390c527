import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RateQuote } from '../../../contract/schemas/rates.js';
import { leastOutcomes } from '../../../contract/verification/score.js';
import { rankQuotes } from '../../../server/features/rates/ranking.rules.js';
import {
  expectedReceive,
  expectedRecord,
  failureCost,
  fullRecordOutcomes,
  type QuoteReputation,
  type TypicalRecord,
  typicalRecord,
  waitingCost,
  worthOf,
} from '../../../server/features/rates/worth.rules.js';
import { noRecord } from '../../../server/features/reputation/cards.js';
import { scoredRecord } from '../../fixtures/rates/records.js';
import { itWhere, python3 } from '../../support/it-where.js';

const file = new URL('../../vectors/best-quote.json', import.meta.url);
const script = new URL('../../clients/python/recompute_quotes.py', import.meta.url);

interface Case {
  name: string;
  speedTargetSeconds: number;
  payoutDecimals: number;
  records: Record<string, QuoteReputation>;
  quotes: Pick<
    RateQuote,
    'anchorId' | 'tier' | 'adjusted' | 'sellAmount' | 'receiveAmount' | 'expectedReceive' | 'worth'
  >[];
  typical: TypicalRecord;
  best: string[];
}

const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };

function valued(receiveAmount: string, own: QuoteReputation, typical: TypicalRecord, terms: Terms) {
  const record = expectedRecord(own, typical);
  const expected = expectedReceive(receiveAmount, record, terms.decimals);
  return { expectedReceive: expected, worth: worthOf(expected, record, terms) };
}

interface Terms {
  speedTargetSeconds: number;
  decimals: number;
}

describe('the best quote of test/vectors/best-quote.json, to the last digit and in this order', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_name, given) => {
    const { speedTargetSeconds, payoutDecimals: decimals, records } = given;
    const typical = typicalRecord(Object.values(records), speedTargetSeconds);
    expect(typical).toEqual(given.typical);
    const quotes = given.quotes.map((quote) => {
      const reputation = records[quote.anchorId] ?? noRecord;
      const terms = { speedTargetSeconds, decimals };
      const valuation = valued(quote.receiveAmount, reputation, typical, terms);
      return { ...quote, reputation, ...valuation, unranked: null };
    });
    expect(quotes.map(({ reputation: _record, unranked: _in, ...quote }) => quote)).toEqual(given.quotes);
    expect(rankQuotes(quotes).map(({ anchorId }) => anchorId)).toEqual(given.best);
  });

  itWhere(python3, 'no python3: the second computation of the best quotes')(
    "is the same by Python's fractions",
    () => {
      const run = spawnSync('python3', ['-B', script.pathname, 'best', file.pathname], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run).toMatchObject({ status: 0, stderr: '', stdout: '0 differences\n' });
    },
  );
});

it('is explained in docs/rates.md with the constants and the figures that the service computes with', () => {
  const page = readFileSync(new URL('../../../docs/rates.md', import.meta.url), 'utf8');
  expect(page).toContain(`a = ${failureCost}, b = ${waitingCost}`);
  const [example] = cases;
  expect(example?.quotes).toHaveLength(2);
  for (const { anchorId, receiveAmount, worth } of example?.quotes ?? []) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${anchorId}\` |`)) ?? '';
    const record = example?.records[anchorId] ?? noRecord;
    for (const figure of [
      receiveAmount,
      record.score,
      record.fillRate,
      `${record.p50SettleSeconds} s`,
      worth,
    ])
      expect(row).toContain(figure);
  }
});

/** Converts a decimal text to a whole number of billionths. */
function billionths(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}

/** The formula of docs/rates.md in whole numbers: every factor is a separate fraction, divided once at the end. */
function worthInWholeNumbers(expected: string, own: QuoteReputation, typical: TypicalRecord, terms: Terms) {
  const one = 1_000_000_000n;
  const n = BigInt(Math.min(own.outcomes, 30));
  const blend = (mine: bigint, usual: bigint) => n * mine + (30n - n) * usual;
  const fillRate = blend(billionths(own.fillRate ?? typical.fillRate), billionths(typical.fillRate));
  const typicalSeconds = BigInt(typical.p50SettleSeconds);
  const seconds = blend(BigInt(own.p50SettleSeconds ?? typical.p50SettleSeconds), typicalSeconds);
  const target = 30n * BigInt(terms.speedTargetSeconds);
  // 1 − 20/100·(1 − F), over 100 · 30 · 10⁹.
  const filling = 100n * 30n * one - 20n * (30n * one - fillRate);
  // 1 − 4/100·P/(P + T), over 100 · (P + T).
  const waiting = 100n * (seconds + target) - 4n * seconds;
  const scale = 10n ** BigInt(terms.decimals);
  const over = 100n * 30n * one * 100n * (seconds + target) * one;
  return (billionths(expected) * filling * waiting * scale) / over;
}

describe('the worth of a quote', () => {
  const share = fc.integer({ min: 0, max: 1_000_000 }).map((ppm) => (ppm / 1_000_000).toFixed(6));
  const seconds = fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 7_776_000 }));
  const typical = fc.record({
    anchors: fc.constant(3),
    fillRate: share,
    p50SettleSeconds: seconds,
    meanShortfall: share.map((text) => `${text}000`),
  });
  const own = fc.record({
    outcomes: fc.oneof(fc.integer({ min: 0, max: 35 }), fc.constant(100_000)),
    fillRate: fc.option(share),
    p50SettleSeconds: fc.option(seconds),
    meanShortfall: fc.option(share.map((text) => `${text}000`)),
  });
  const terms = fc.record({
    speedTargetSeconds: fc.integer({ min: 1, max: 864_000 }),
    decimals: fc.constantFrom(0, 2, 3),
  });
  const receive = fc.bigInt({ min: 1n, max: 10n ** 17n }).map((cents) => {
    const digits = cents.toString().padStart(3, '0');
    return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
  });

  it('is what whole numbers give, to the last digit, for any record', () => {
    fc.assert(
      fc.property(receive, own, typical, terms, (receiveAmount, part, usual, each) => {
        const record = scoredRecord(part);
        const { expectedReceive: expected, worth } = valued(receiveAmount, record, usual, each);
        const scale = 10n ** BigInt(9 - each.decimals);
        expect(billionths(worth)).toBe(worthInWholeNumbers(expected, record, usual, each) * scale);
        expect(billionths(worth)).toBeLessThanOrEqual(billionths(expected));
        expect(billionths(expected)).toBeLessThanOrEqual(billionths(receiveAmount));
      }),
      { numRuns: 2_000 },
    );
  });

  it('grows with the promise and the fill rate, and falls with the payout time and the shortfall', () => {
    const usual = typicalRecord([scoredRecord()], 600);
    const at = (receiveAmount: string, patch: Partial<QuoteReputation>) =>
      Number(
        valued(receiveAmount, scoredRecord(patch), usual, { speedTargetSeconds: 600, decimals: 2 }).worth,
      );
    const before = at('152340.55', {});
    expect(at('152350.55', {})).toBeGreaterThan(before);
    expect(at('152340.55', { fillRate: '0.990000' })).toBeGreaterThan(before);
    expect(at('152340.55', { p50SettleSeconds: 44 })).toBeLessThan(before);
    expect(at('152340.55', { meanShortfall: '0.001300000' })).toBeLessThan(before);
  });
});

describe('what is expected to be received', () => {
  const usual: TypicalRecord = {
    anchors: 1,
    fillRate: '0.95',
    p50SettleSeconds: 600,
    meanShortfall: '0.003000000',
  };
  const expected = (receiveAmount: string, patch: Partial<QuoteReputation>, decimals = 2) =>
    expectedReceive(receiveAmount, expectedRecord(scoredRecord(patch), usual), decimals);

  it('is the promise less the mean shortfall of the anchor, rounded down', () => {
    expect(expected('152340.55', { meanShortfall: '0.0012' })).toBe('152157.74');
    expect(expected('1000', { meanShortfall: '0.0005' }, 0)).toBe('999');
    expect(expected('1000', { meanShortfall: '1.5' })).toBe('0.00');
  });

  it("is less the typical shortfall without a record, and in proportion up to a score's least outcomes", () => {
    expect(expected('1000', noRecord)).toBe('997.00');
    expect(expected('1000', { outcomes: 10, meanShortfall: '0' })).toBe('998.00');
    expect(expected('1000', { outcomes: 30, meanShortfall: '0' })).toBe('1000.00');
    expect(expected('1000', { outcomes: 30, meanShortfall: null })).toBe('997.00');
    expect(fullRecordOutcomes).toBe(leastOutcomes);
  });
});
