import { describe, expect, it } from '@jest/globals';
import { ratesExamples } from '../../../contract/examples/rates.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { csvHeader, csvRows } from '../../../server/features/rate-history/csv.rules.js';
import { toSample } from '../../../server/features/rate-history/sample.rules.js';

const answer: RatesAnswer = ratesExamples.getRates.answer;
const at = '2026-11-21T09:30:04.000Z';
const rowsOf = (of: RatesAnswer) => csvRows(toSample(new Date(at), of));

describe('the CSV of a sample', () => {
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
