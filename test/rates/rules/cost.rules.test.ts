import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rateQuote } from '../../../contract/schemas/rates.js';
import type { FxReading } from '../../../server/features/rates/estimate.rules.js';
import { offerFromFee } from '../../../server/features/rates/estimate.rules.js';
import { costOf } from '../../../server/features/rates/mid-market.rules.js';
import type { Offer } from '../../../server/features/rates/offer.rules.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';
import { itWhere, python3 } from '../../support/it-where.js';

const file = new URL('../../vectors/quote-cost.json', import.meta.url);
const script = new URL('../../clients/python/recompute_quotes.py', import.meta.url);

interface Case {
  name: string;
  sellAmount: string;
  receiveAmount: string;
  rate: string;
  percent: string;
  amount: string;
}

const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };
const date = '2026-11-21';
const source = 'simulated market';

function offer(sellAmount: string, receiveAmount: string): Offer {
  return {
    tier: 'anchor',
    sellAmount,
    receiveAmount,
    adjusted: false,
    rate: '1',
    fee: null,
    deliveryMethod: null,
    sep38: null,
    estimate: null,
  };
}

function costAt(rate: string, sellAmount: string, receiveAmount: string) {
  return costOf(offer(sellAmount, receiveAmount), { reading: { rate, base: 'USD', date }, source });
}

describe('the cost of a quote in test/vectors/quote-cost.json', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_name, given) => {
    const { rate, percent, amount } = given;
    const found = costAt(rate, given.sellAmount, given.receiveAmount);
    expect(found).toEqual({
      cost: { percent, amount, reference: { rate, source, date } },
      costUnavailable: null,
    });
    expect(rateQuote.shape.cost.parse(found.cost)).toEqual(found.cost);
  });

  itWhere(python3, 'no python3: the second computation of the costs')(
    "is the same by Python's fractions",
    () => {
      const run = spawnSync('python3', ['-B', script.pathname, 'cost', file.pathname], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run).toMatchObject({ status: 0, stderr: '', stdout: '0 differences\n' });
    },
  );
});

describe('the cost of a quote', () => {
  it('is the fee and the margin of the exchange rate, told apart and added in whole numbers', () => {
    const units = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 99 }), units, units, (sold, feePercent, market, paid) => {
        // In hundredths of a unit: the fee is a whole percentage of the amount, so all of it is exact.
        const sell = BigInt(sold) * 100n;
        const fee = BigInt(sold) * BigInt(feePercent);
        const received = (sell - fee) * BigInt(paid);
        const payout = `${received / 100n}.${(received % 100n).toString().padStart(2, '0')}`;
        // fee / sell + (sell − fee) / sell · (market − paid) / market, over sell · market.
        const lost = fee * BigInt(market) + (sell - fee) * BigInt(market - paid);
        const over = sell * BigInt(market);
        const { cost } = costAt(String(market), String(sold), payout);
        expect(hundredths(cost?.percent)).toBe(nearest(lost * 10_000n, over));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is null with the reason where there is no reference', () => {
    for (const missing of ['no_reference', 'stale_reference', 'no_par'] as const) {
      expect(costOf(offer('100', '1250.00'), { reading: { missing }, source })).toEqual({
        cost: null,
        costUnavailable: missing,
      });
    }
  });

  it('of an estimate is its fee, by the reference that it was computed with', () => {
    const schedule = {
      source: 'sep24',
      feeFixed: '0',
      feePercent: '2.5',
      feeMinimum: '0',
      min: null,
      max: null,
    } as const;
    const fx = { rate: '5.38', base: 'USD', date };
    const made = offerFromFee(corridorFixture(), { amount: '200', deliveryMethod: null }, schedule, fx);
    if (!('offer' in made)) throw new Error('the offer was refused');
    const later: FxReading = { rate: '5.5', base: 'USD', date: '2026-11-22' };
    expect(costOf(made.offer, { reading: later, source }).cost).toEqual({
      percent: '2.50',
      amount: '5',
      reference: { rate: '5.38', source, date },
    });
  });
});

/** `-0.80` → -80. */
function hundredths(text: string | undefined): bigint {
  return BigInt((text ?? '').replace('.', ''));
}

function nearest(part: bigint, whole: bigint): bigint {
  const size = part < 0n ? -part : part;
  const rounded = (2n * size + whole) / (2n * whole);
  return part < 0n ? -rounded : rounded;
}
