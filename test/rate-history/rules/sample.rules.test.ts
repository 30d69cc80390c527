import { describe, expect, it } from '@jest/globals';
import { grainOf, isSample, startOf } from '../../../server/features/rate-history/sample.rules.js';

const at = (text: string) => Date.parse(`2026-11-${text}Z`);

describe('the slot of an instant', () => {
  it.each([
    ['21T09:30:00.000', '21T09:30:00.000'],
    ['21T09:44:59.999', '21T09:30:00.000'],
    ['21T09:45:00.000', '21T09:45:00.000'],
    ['22T00:00:00.000', '22T00:00:00.000'],
  ])('of %s begins at %s', (instant, start) => {
    expect(startOf('15m', at(instant))).toBe(at(start));
  });
});

describe('the grain of a sample', () => {
  it.each([
    ['the first of all', null, '21T09:31:00', '1d'],
    ['the first of a day', '20T23:46:00', '21T00:00:05', '1d'],
    ['the first of a day after a gap', '18T23:46:00', '21T17:10:00', '1d'],
    ['the first of an hour', '21T08:46:00', '21T09:00:05', '1h'],
    ['the first of an hour after a gap', '21T06:00:00', '21T09:31:00', '1h'],
    ['another slot of the hour', '21T09:01:00', '21T09:15:02', '15m'],
    ['the same slot', '21T09:15:02', '21T09:29:59', undefined],
    ['an earlier slot, after the clock was set back', '21T09:15:02', '21T09:14:00', undefined],
    ['an earlier day, after the clock was set back', '21T09:15:02', '20T09:15:00', undefined],
  ])('of %s', (_what, previous, instant, grain) => {
    expect(grainOf(at(instant), previous === null ? null : at(previous))).toBe(grain);
  });
});

describe('an answer', () => {
  const quotes = [{}] as never[];

  it('is a sample if it is fresh and an anchor has a quote', () => {
    expect(isSample({ stale: false, quotes })).toBe(true);
  });

  it('is none where it is stale', () => {
    expect(isSample({ stale: true, quotes })).toBe(false);
  });

  it('is none where no anchor has a quote', () => {
    expect(isSample({ stale: false, quotes: [] })).toBe(false);
  });
});
