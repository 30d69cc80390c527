import { describe, expect, it } from '@jest/globals';
import type { RateHistoryQuery } from '../../../contract/schemas/rate-history.js';
import { rangeOf, rangeOfFile } from '../../../server/features/rate-history/range.rules.js';

const now = Date.parse('2026-11-21T09:37:12.345Z');
const shown = (query: RateHistoryQuery) => {
  const { resolution, from, to } = rangeOf(query, now);
  return [resolution, new Date(from).toISOString(), new Date(to).toISOString()];
};

describe('the range of a history', () => {
  it.each<[string, RateHistoryQuery, string[]]>([
    ['nothing', {}, ['15m', '2026-11-20T09:45:00.000Z', '2026-11-21T09:45:00.000Z']],
    ['hours', { resolution: '1h' }, ['1h', '2026-11-14T09:45:00.000Z', '2026-11-21T09:45:00.000Z']],
    ['days', { resolution: '1d' }, ['1d', '2026-08-23T09:45:00.000Z', '2026-11-21T09:45:00.000Z']],
    [
      'a beginning',
      { from: '2026-11-21T08:00:00+01:00' },
      ['15m', '2026-11-21T07:00:00.000Z', '2026-11-21T09:45:00.000Z'],
    ],
    [
      'an end',
      { to: '2026-11-21T07:00:00Z' },
      ['15m', '2026-11-20T07:00:00.000Z', '2026-11-21T07:00:00.000Z'],
    ],
    ['a day', { day: '2026-02-28' }, ['15m', '2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z']],
    ['today', { day: '2026-11-21' }, ['15m', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z']],
  ])('that names %s', (_what, query, expected) => {
    expect(shown(query)).toEqual(expected);
  });

  it.each<[string, RateHistoryQuery, string, string]>([
    ['reversed', { from: '2026-11-20T00:00:00Z', to: '2026-11-19T00:00:00Z' }, 'from', 'must be before to'],
    ['empty', { from: '2026-11-20T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'from', 'must be before to'],
    ['begins in the future', { from: '2026-11-21T09:40:00Z' }, 'from', 'must not be in the future'],
    ['ends in the future', { to: '2026-11-21T09:37:13Z' }, 'to', 'must not be in the future'],
    ['is a day of the future', { day: '2026-11-22' }, 'day', 'must not be in the future'],
    ['is a day that does not exist', { day: '2026-02-29' }, 'day', 'must be a day that exists'],
    [
      'is named twice',
      { day: '2026-11-20', from: '2026-11-20T00:00:00Z' },
      'from',
      'cannot be given together with day',
    ],
    [
      'is too wide for samples',
      { from: '2026-10-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
      'from',
      'must be at most 31 days before to, where the resolution is 15m',
    ],
    [
      'is too wide for hours',
      { from: '2026-08-01T00:00:00Z', resolution: '1h' },
      'from',
      'must be at most 92 days before to, where the resolution is 1h',
    ],
    [
      'is too wide for days',
      { from: '2006-08-01T00:00:00Z', resolution: '1d' },
      'from',
      'must be at most 3660 days before to, where the resolution is 1d',
    ],
  ])('is refused where it is %s', (_what, query, name, message) => {
    expect(() => rangeOf(query, now)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        extras: { details: [{ path: `query.${name}`, message }] },
      }),
    );
  });
});

it('a range that ends in the first days of the year 0 begins where instants have a form', () => {
  const { from } = rangeOf({ to: '0000-01-01T12:00:00Z' }, now);
  expect(new Date(from).toISOString()).toBe('0000-01-01T00:00:00.000Z');
});

describe('the range of a file', () => {
  it('is a day', () => {
    expect(rangeOfFile({ day: '2026-11-20', resolution: '1h' }, now)).toEqual(
      rangeOf({ day: '2026-11-20', resolution: '1h' }, now),
    );
  });

  it.each<[string, RateHistoryQuery]>([
    ['day', {}],
    ['day', { from: '2026-11-20T00:00:00Z' }],
    ['limit', { day: '2026-11-20', limit: '10' }],
    ['cursor', { day: '2026-11-20', cursor: 'abc' }],
  ])('is refused for its %s', (name, query) => {
    expect(() => rangeOfFile(query, now)).toThrow(`query.${name}: `);
  });
});
