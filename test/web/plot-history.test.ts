import { describe, expect, it } from '@jest/globals';
import type { RateHistoryPoint } from '../../contract/schemas/rate-history.js';
import { plotHistory, steadyRange } from '../../web/src/pages/rates/plot-history.js';

const slot = 900;
const start = Date.parse('2026-11-21T09:00:00.000Z') / 1_000;

function sample(slots: number, quotes: Record<string, Partial<RateHistoryPoint['quotes'][number]>>) {
  const at = new Date((start + slots * slot) * 1_000).toISOString();
  return {
    at,
    asOf: at,
    amount: '100',
    best: null,
    unavailable: [],
    quotes: Object.entries(quotes).map(([anchorId, quote]) => ({
      anchorId,
      tier: 'anchor' as const,
      sellAmount: '100',
      receiveAmount: '152000.00',
      rate: '1520',
      costPercent: null,
      score: null,
      unranked: null,
      ...quote,
    })),
  };
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

  it('does not break off where samples are a little late', () => {
    expect(plotHistory([sample(0, { harbour: {} }), sample(1.4, { harbour: {} })], slot).times).toHaveLength(
      2,
    );
  });

  it('has no quote outside the band, and no cost where none was known', () => {
    const samples = [
      sample(0, { bait: { rate: '990000', unranked: 'above_band' } }),
      sample(1, { bait: { rate: '1500' } }),
    ];
    expect(plotHistory(samples, slot).lines[0]).toEqual({ anchorId: 'bait', values: [null, 1500] });
  });

  it('is empty without samples', () => {
    expect(plotHistory([], slot)).toEqual({ times: [], lines: [] });
  });
});

describe('the scale of values', () => {
  const lines = (...values: number[]) => ({ times: [], lines: [{ anchorId: 'harbour', values }] });

  it('is on round figures, and stays while rates move within them', () => {
    expect(steadyRange(lines(1_513.4, 1_528))).toEqual([1_500, 1_550]);
    expect(steadyRange(lines(1_501, 1_549))).toEqual([1_500, 1_550]);
    expect(steadyRange(lines(0.912, 0.921))).toEqual([0.9, expect.closeTo(0.94)]);
  });
});
