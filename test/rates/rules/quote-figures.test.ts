import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type RateQuote, rateQuote, ratesAnswer } from '../../../contract/schemas/rates.js';
import { type FxReading, offerFromFee } from '../../../server/features/rates/estimate.rules.js';
import { type Band, bandOf, costOf, outsideBand } from '../../../server/features/rates/mid-market.rules.js';
import type { Offer } from '../../../server/features/rates/offer.rules.js';
import { rankQuotes } from '../../../server/features/rates/ranking.rules.js';
import {
  expectedReceive,
  expectedRecord,
  type QuoteReputation,
  type TypicalRecord,
  typicalRecord,
  worthOf,
} from '../../../server/features/rates/worth.rules.js';
import { noRecord } from '../../../server/features/reputation/cards.js';
import { corridorFixture, scoredRecord } from '../../fixtures/rates/corridor.js';

const marketOf = (rate: string | null): FxReading =>
  rate === null ? { missing: 'stale_reference' } : { rate, base: 'USD', date: '2026-11-21' };

interface BandCase {
  name: string;
  prices: string[];
  /** Null where the reference rate is missing or stale. */
  reference: string | null;
  factor: string;
  band: Band;
  quotes: { rate: string; unranked: string | null }[];
}

describe('the band of quotes that are ranked', () => {
  it.each(casesOf<BandCase>('quote-band'))('%s', (_name, given) => {
    const { prices, factor } = given;
    const market = marketOf(given.reference);
    const band = bandOf({ prices, factor, market });
    expect(ratesAnswer.shape.band.parse(band)).toEqual(given.band);
    expect(bandOf({ prices: [...prices].reverse(), factor, market })).toEqual(band);
    const found = given.quotes.map(({ rate }) => ({ rate, unranked: outsideBand(rate, band) }));
    expect(found).toEqual(given.quotes);
  });

  it('leaves every honest quote in, official or street, and no absurd one, while the honest are more', () => {
    const honestPrice = fc.integer({ min: 1_490, max: 4_500 }).map(String);
    const anyPrice = fc.oneof(
      fc.integer({ min: 1, max: 999_999_999 }).map(String),
      fc.integer({ min: 1, max: 9_999 }).map((digits) => (digits / 1e7).toFixed(7)),
    );
    const corridor = fc
      .array(honestPrice, { minLength: 2, maxLength: 8 })
      .chain((honest) => fc.tuple(fc.constant(honest), fc.array(anyPrice, { maxLength: honest.length - 1 })));
    const market = fc.constantFrom(marketOf(null), marketOf('1530'), marketOf('1490.5'));
    fc.assert(
      fc.property(corridor, market, ([honest, hostile], reading) => {
        const band = bandOf({ prices: [...hostile, ...honest], market: reading, factor: '4' });
        for (const rate of honest) expect(outsideBand(rate, band)).toBeNull();
        const absurd = Array<string>(hostile.length).fill('990205.1');
        const above = bandOf({ prices: [...honest, ...absurd], market: reading, factor: '4' });
        if (above !== null) expect(outsideBand('990205.1', above)).toBe('above_band');
        else expect(honest.length + absurd.length).toBeLessThan(3);
      }),
    );
  });
});

interface BestCase {
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

describe('the best quote', () => {
  it.each(casesOf<BestCase>('best-quote'))('%s', (_name, given) => {
    const { speedTargetSeconds, payoutDecimals: decimals, records } = given;
    const typical = typicalRecord(Object.values(records), speedTargetSeconds);
    expect(typical).toEqual(given.typical);
    const quotes = given.quotes.map((quote) => {
      const reputation = records[quote.anchorId] ?? noRecord;
      const record = expectedRecord(reputation, typical);
      const expected = expectedReceive(quote.receiveAmount, record, decimals);
      const worth = worthOf(expected, record, { speedTargetSeconds, decimals });
      return { ...quote, reputation, expectedReceive: expected, worth, unranked: null };
    });
    expect(quotes.map(({ reputation: _record, unranked: _in, ...quote }) => quote)).toEqual(given.quotes);
    expect(rankQuotes(quotes).map(({ anchorId }) => anchorId)).toEqual(given.best);
  });

  const usual = { anchors: 1, fillRate: '0.95', p50SettleSeconds: 600, meanShortfall: '0.003000000' };
  it.each([
    ['152340.55', { meanShortfall: '0.0012' }, 2, '152157.74'],
    ['1000', { meanShortfall: '0.0005' }, 0, '999'],
    ['1000', { meanShortfall: '1.5' }, 2, '0.00'],
    ['1000', noRecord, 2, '997.00'],
    ['1000', { outcomes: 10, meanShortfall: '0' }, 2, '998.00'],
    ['1000', { outcomes: 30, meanShortfall: '0' }, 2, '1000.00'],
    ['1000', { outcomes: 30, meanShortfall: null }, 2, '997.00'],
  ])('of %s with the record %j and %i places is expected to pay %s', (promised, own, decimals, expected) => {
    const record = expectedRecord(scoredRecord(own), usual);
    expect(expectedReceive(promised, record, decimals)).toBe(expected);
  });
});

interface CostCase {
  name: string;
  sellAmount: string;
  receiveAmount: string;
  rate: string;
  percent: string;
  amount: string;
}

describe('the cost of a quote', () => {
  const date = '2026-11-21';
  const source = 'simulated market';
  const offer: Offer = {
    tier: 'anchor',
    sellAmount: '100',
    receiveAmount: '1250.00',
    adjusted: false,
    rate: '1',
    fee: null,
    deliveryMethod: null,
    sep38: null,
    estimate: null,
  };

  it.each(casesOf<CostCase>('quote-cost'))('%s', (_name, { rate, percent, amount, ...amounts }) => {
    const found = costOf({ ...offer, ...amounts }, { reading: marketOf(rate), source });
    const cost = { percent, amount, reference: { rate, source, date } };
    expect(found).toEqual({ cost, costUnavailable: null });
    expect(rateQuote.shape.cost.parse(cost)).toEqual(cost);
  });

  it.each(['no_reference', 'stale_reference', 'no_par'] as const)('is null with the reason %s', (missing) => {
    const unknown = { cost: null, costUnavailable: missing };
    expect(costOf(offer, { reading: { missing }, source })).toEqual(unknown);
  });

  it('of an estimate is its fee, by the reference that it was computed with', () => {
    const fees = { feeFixed: '0', feePercent: '2.5', feeMinimum: '0', min: null, max: null };
    const fx = { rate: '5.38', base: 'USD', date };
    const asked = { amount: '200', deliveryMethod: null };
    const made = offerFromFee(corridorFixture(), asked, { source: 'sep24', ...fees }, fx);
    if (!('offer' in made)) throw new Error('the offer was refused');
    expect(costOf(made.offer, { reading: marketOf('5.5'), source }).cost).toEqual({
      percent: '2.50',
      amount: '5',
      reference: { rate: '5.38', source, date },
    });
  });
});

function casesOf<Case extends { name: string }>(name: string): [string, Case][] {
  const file = new URL(`../../vectors/${name}.json`, import.meta.url);
  const { cases }: { cases: Case[] } = JSON.parse(readFileSync(file, 'utf8'));
  return cases.map((each) => [each.name, each]);
}
