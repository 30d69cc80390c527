import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ratesAnswer } from '../../../contract/schemas/rates.js';
import type { FxReading } from '../../../server/features/rates/estimate.rules.js';
import { type Band, bandOf, outsideBand } from '../../../server/features/rates/mid-market.rules.js';
import { itWhere, python3 } from '../../support/it-where.js';

const file = new URL('../../vectors/quote-band.json', import.meta.url);
const script = new URL('../../clients/python/recompute_quotes.py', import.meta.url);

interface Case {
  name: string;
  prices: string[];
  /** Null where the reference rate is missing or stale. */
  reference: string | null;
  factor: string;
  band: Band;
  quotes: { rate: string; unranked: string | null }[];
}

const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };

function marketOf(reference: string | null): FxReading {
  if (reference === null) return { missing: 'stale_reference' };
  return { rate: reference, base: 'USD', date: '2026-11-21' };
}

describe('the band of test/vectors/quote-band.json, to the last digit', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_name, given) => {
    const { prices, factor } = given;
    const band = bandOf({ prices, factor, market: marketOf(given.reference) });
    expect(band).toEqual(given.band);
    expect(ratesAnswer.shape.band.parse(band)).toEqual(band);
    const found = given.quotes.map(({ rate }) => ({ rate, unranked: outsideBand(rate, band) }));
    expect(found).toEqual(given.quotes);
    const shuffled = bandOf({ prices: [...prices].reverse(), factor, market: marketOf(given.reference) });
    expect(shuffled).toEqual(band);
  });

  itWhere(python3, 'no python3: the second computation of the bands')(
    "is the same by Python's fractions",
    () => {
      const run = spawnSync('python3', ['-B', script.pathname, 'band', file.pathname], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run).toMatchObject({ status: 0, stderr: '', stdout: '0 differences\n' });
    },
  );
});

const market = fc.constantFrom(marketOf(null), marketOf('1530'), marketOf('1490.5'));
/** Prices at the official rate of 1,500, or at a street rate up to three times as high. */
const honestPrice = fc.integer({ min: 1_490, max: 4_500 }).map(String);
const anyPrice = fc.oneof(
  fc.integer({ min: 1, max: 999_999_999 }).map(String),
  fc.integer({ min: 1, max: 9_999 }).map((digits) => `0.000${String(digits).padStart(4, '0')}`),
);

describe('rivals that are fewer than the honest anchors', () => {
  it('cannot push an honest quote out of the band, official or street, whatever they promise', () => {
    const corridor = fc
      .array(honestPrice, { minLength: 2, maxLength: 8 })
      .chain((honest) =>
        fc.tuple(fc.constant(honest), fc.array(anyPrice, { maxLength: honest.length - 1 }), market),
      );
    fc.assert(
      fc.property(corridor, ([honest, hostile, reading]) => {
        const band = bandOf({ prices: [...hostile, ...honest], market: reading, factor: '4' });
        for (const rate of honest) expect(outsideBand(rate, band)).toBeNull();
      }),
    );
  });

  it('cannot get a price ranked that is more than four times the highest honest one, where there is a band', () => {
    const corridor = fc
      .array(honestPrice, { minLength: 2, maxLength: 8 })
      .chain((honest) =>
        fc.tuple(fc.constant(honest), fc.integer({ min: 1, max: honest.length - 1 }), market),
      );
    fc.assert(
      fc.property(corridor, ([honest, rivals, reading]) => {
        const absurd = Array<string>(rivals).fill('990205.1');
        const band = bandOf({ prices: [...honest, ...absurd], market: reading, factor: '4' });
        if (band !== null) expect(outsideBand('990205.1', band)).toBe('above_band');
        else expect(honest.length + rivals).toBeLessThan(3);
      }),
    );
  });
});
