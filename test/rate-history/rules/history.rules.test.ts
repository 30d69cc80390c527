import { describe, expect, it } from '@jest/globals';
import { ratesExamples } from '../../../contract/examples/rates.js';
import type { RateHistoryQuery } from '../../../contract/schemas/rate-history.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { rangeOf } from '../../../server/features/rate-history/range.rules.js';
import { csvHeader, csvRows, toSample } from '../../../server/features/rate-history/sample.rules.js';

const now = Date.parse('2026-11-21T09:37:12.345Z');

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
    [
      'an end in the first days that have a form',
      { to: '0000-01-01T12:00:00Z' },
      ['15m', '0000-01-01T00:00:00.000Z', '0000-01-01T12:00:00.000Z'],
    ],
    ['a day', { day: '2026-02-28' }, ['15m', '2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z']],
    ['today', { day: '2026-11-21' }, ['15m', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z']],
  ])('that names %s', (_what, query, expected) => {
    const { resolution, from, to } = rangeOf(query, now);
    expect([resolution, ...[from, to].map((at) => new Date(at).toISOString())]).toEqual(expected);
  });

  it.each<[RateHistoryQuery, string]>([
    [{ from: '2026-11-20T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'from: must be before to'],
    [{ from: '2026-11-21T09:37:13Z' }, 'from: must not be in the future'],
    [{ day: '2026-02-29' }, 'day: must be a day that exists'],
    [{ from: '2026-10-20T00:00:00Z' }, 'from: must be at most 31 days before to'],
    [{ from: '2026-08-01T00:00:00Z', resolution: '1h' }, 'from: must be at most 92 days before to'],
    [{ from: '2006-08-01T00:00:00Z', resolution: '1d' }, 'from: must be at most 3660 days before to'],
  ])('is refused for %j: query.%s', (query, message) => {
    expect(() => rangeOf(query, now)).toThrow(`query.${message}`);
  });
});

describe('the CSV of a sample', () => {
  const answer: RatesAnswer = ratesExamples.getRates.answer;
  const at = '2026-11-21T09:30:04.000Z';
  const rowsOf = (of: RatesAnswer) => csvRows(toSample(new Date(at), of));

  it('has a row for each quote and for each anchor without one, as RFC 4180 has it', () => {
    const asset = answer.sellAsset;
    expect(csvHeader + rowsOf(answer)).toBe(
      [
        'at,corridor,amount,anchorId,best,tier,sellAmount,receiveAmount,rate,adjusted,feeTotal,feeAsset,deliveryMethod,' +
          'quotedAt,costPercent,referenceRate,score,outcomes,expectedReceive,worth,unranked,unavailable',
        `${at},usdc-ngn,100,harbour,true,anchor,100,152340.55,1523.4055,false,1.5,${asset},bank_account,` +
          '2026-11-21T09:30:00.000Z,1.16,1541.25,91.37,412,152157.74,151382.39,,',
        `${at},usdc-ngn,100,tidewater,false,estimate,100,150271.87,1502.7187,false,2.5,${asset},,` +
          '2026-11-21T09:30:00.000Z,2.50,1541.25,,3,150091.54,149221.54,,',
        `${at},usdc-ngn,100,saltmarsh,false,,,,,,,,,,,,,,,,,timeout`,
        '',
      ].join('\r\n'),
    );
  });

  it('quotes what holds a comma, a quote or the end of a line', () => {
    const [quote] = answer.quotes;
    const quotes = [{ ...quote, deliveryMethod: 'cash, "now"\n' }] as RatesAnswer['quotes'];
    expect(rowsOf({ ...answer, quotes, unavailable: [] })).toContain(',"cash, ""now""\n",');
  });
});
