import { describe, expect, it } from '@jest/globals';
import type { CorridorAnswer } from '../../contract/schemas/corridors.js';
import * as formula from '../../contract/verification/score.js';
import { anchorNames, shortName } from '../../web/src/figures/anchor-name.js';
import { corridorName } from '../../web/src/figures/corridor-name.js';
import { historyLines, scoreRange } from '../../web/src/pages/anchors/history-plot.js';
import {
  leastAccountDays,
  leastDays90,
  leastOutcomes,
  standingOf,
} from '../../web/src/pages/anchors/standing.js';
import { startParameters } from '../../web/src/pages/anchors/start-parameters.js';

describe('why there is no score', () => {
  const judged = (outcomes: number, accountDays: number, days90 = 7) =>
    standingOf({ state: 'insufficient_data', outcomes, accountDays, days90 });

  it('is told by the thresholds of the formula', () => {
    const { leastOutcomes: n, leastAccountDays: d, leastDays90: days } = formula;
    expect([leastOutcomes, leastAccountDays, leastDays90]).toEqual([n, d, days]);
  });

  it('names what is missing, and the corridors where the whole would have been enough', () => {
    expect(judged(0, 0)).toBe('unused');
    expect(judged(29, 29)).toBe('fewOutcomes');
    expect(judged(30, 14)).toBe('fewAccountDays');
    expect(judged(45, 40, 6)).toBe('fewDays');
    expect(judged(45, 40)).toBe('spreadThin');
  });

  it('is nothing where there is a score', () => {
    expect(standingOf({ state: 'scored', outcomes: 30, accountDays: 15, days90: 7 })).toBe('scored');
  });
});

describe('the history of an anchor', () => {
  const day = { outcomes: 5, filled: 4, score: null, p50SettleSeconds: 60, p95SettleSeconds: null };

  it('leaves a gap where a day has no score, and a point for no other day', () => {
    const days = [
      { ...day, day: '2026-11-20' },
      { ...day, day: '2026-11-22', score: '88.64' },
    ];
    expect(historyLines(days, 'score')).toEqual({
      times: [Date.UTC(2026, 10, 20) / 1_000, Date.UTC(2026, 10, 22) / 1_000],
      lines: [{ name: 'score', values: [null, 88.64] }],
    });
    expect(historyLines(days, 'time').lines.map(({ name, values }) => [name, values])).toEqual([
      ['p50', [60, 60]],
      ['p95', [null, null]],
    ]);
  });

  it('begins the scale of scores at 80, 50 or 0', () => {
    expect(scoreRange([null, 93.7, 80])).toEqual([80, 100]);
    expect(scoreRange([79.99])).toEqual([50, 100]);
    expect(scoreRange([12])).toEqual([0, 100]);
  });
});

describe('names', () => {
  it('tell a corridor by its currency, and the country where the id names one', () => {
    expect(corridorName('usdc-ngn', 'en')).toBe('USDC → Nigerian Naira');
    expect(corridorName('usdc-xof-sn', 'fr')).toMatch(/^USDC → franc CFA .*· Sénégal$/);
  });

  it('tell two anchors of one name apart by their ids', () => {
    const anchors = ['a', 'b', 'c'].map((id) => ({ id, name: id === 'c' ? 'Cowrie' : 'Twin' }));
    const nameOf = anchorNames([{ anchors } as unknown as CorridorAnswer]);
    expect(['a', 'b', 'c', 'gone'].map(nameOf)).toEqual(['Twin (a)', 'Twin (b)', 'Cowrie', 'gone']);
  });

  it('say once that an anchor is simulated', () => {
    expect(shortName({ anchorName: 'Windlass (simulated)', simulated: true })).toBe('Windlass');
    expect(shortName({ anchorName: 'Cowrie', simulated: false })).toBe('Cowrie');
  });
});

describe('what starts a withdrawal', () => {
  const point = { assetCode: 'USDC', assetIssuer: 'GA5Z', destinationAsset: 'iso4217:NGN' };

  it('is named as each protocol names it', () => {
    expect(startParameters({ ...point, protocol: 'sep24' })).toBe(
      'asset_code=USDC\nasset_issuer=GA5Z\ndestination_asset=iso4217:NGN',
    );
    expect(startParameters({ ...point, protocol: 'sep6' })).toBe(
      'source_asset=USDC\ndestination_asset=iso4217:NGN',
    );
  });

  it('names no issuer of the native asset', () => {
    expect(startParameters({ ...point, assetIssuer: null, protocol: 'sep24' })).not.toContain('asset_issuer');
  });
});
