import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { CorridorAnswer } from '../../contract/schemas/corridors.js';
import * as formula from '../../contract/verification/score.js';
import { anchorNames } from '../../web/src/figures/anchor-name.js';
import { corridorName } from '../../web/src/figures/corridor-name.js';
import { compareDecimals, compareShares, subtractDecimals } from '../../web/src/figures/decimal.js';
import { createFormats } from '../../web/src/i18n/formats.js';
import { historyLines, scoreRange } from '../../web/src/pages/anchors/history-plot.js';
import {
  meanParts,
  type PartInputs,
  type ScoreParts,
  scoreParts,
  wholeHundred,
  wilsonInterval,
} from '../../web/src/pages/anchors/score-parts.js';
import {
  leastAccountDays,
  leastDays90,
  leastOutcomes,
  standingOf,
} from '../../web/src/pages/anchors/standing.js';
import { startParameters } from '../../web/src/pages/anchors/start-parameters.js';

const english = createFormats('en');
const french = createFormats('fr');
/** Replaces non-breaking spaces, wide and narrow, by ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('money', () => {
  it('is written as the language does, with the currency where there is one', () => {
    expect(plain(english.money('1548230.5', 'NGN'))).toBe('NGN 1,548,230.50');
    expect(plain(french.money('1548230.5', 'NGN'))).toBe('1 548 230,50 NGN');
    expect(plain(english.asset('1234.5', 'USDC'))).toBe('1,234.50 USDC');
    expect(plain(french.asset('1234.5', 'USDC'))).toBe('1 234,50 USDC');
  });

  it('keeps every digit that the API tells, also where a float would lose some', () => {
    expect(english.asset('9007199254740993.0000001', 'USDC')).toBe('9,007,199,254,740,993.0000001 USDC');
  });

  it('of an asset is not taken for the currency that has the same code', () => {
    expect(plain(english.asset('100', 'BRL'))).toBe('100 BRL');
    expect(plain(english.money('100', 'BRL'))).toBe('R$100');
  });
});

describe('shares and numbers', () => {
  it('tell a share that is too small for its digits from none', () => {
    expect(english.smallShare('0.000000094')).toBe('< 0.01%');
    expect(english.smallShare('0')).toBe('0%');
    expect(english.smallShare('0.0123')).toBe('1.23%');
  });

  it('say 100 % of all alone', () => {
    expect(english.percent('0.9996')).toBe('99.9%');
    expect(english.percent(2_999 / 3_000)).toBe('99.9%');
    expect(english.percent(0.99996, 2)).toBe('99.99%');
    expect(english.percent(1)).toBe('100%');
  });

  it('are rounded down from the decimal that they are, not from the float that stands for it', () => {
    for (let part = 0; part <= 1_000; part += 1) expect(english.percent(part / 1_000)).toBe(`${part / 10}%`);
  });
});

describe('times', () => {
  it.each([
    [0, 'now'],
    [59, '59 sec. ago'],
    [60, '1 min. ago'],
    [3_599, '59 min. ago'],
    [7_200, '2 hr. ago'],
    [86_400, '1 day ago'],
    [47 * 3_600, '1 day ago'],
    [5 * 86_400, '5 days ago'],
  ])('%s seconds ago are told in the largest unit: %s', (seconds, text) => {
    expect(english.ago(seconds)).toBe(text);
  });

  it.each([
    [0, '0 sec'],
    [45, '45 sec'],
    [90, '1.5 min'],
    [3_600, '1 hr'],
    [129_600, '1.5 days'],
  ])('something that takes %s seconds takes %s', (seconds, text) => {
    expect(english.duration(seconds)).toBe(text);
  });

  it('are the words of the language', () => {
    expect(plain(french.ago(0))).toBe('maintenant');
    expect(plain(french.ago(86_400))).toBe('il y a 1 j');
    expect(plain(french.ago(180))).toBe('il y a 3 min');
    expect(plain(french.duration(5_400))).toBe('1,5 h');
  });
});

describe('decimal text', () => {
  it.each([
    ['152261.35', '150631.83', '1629.52'],
    ['152039.72', '152039.72', '0.00'],
    ['100', '0.0000001', '99.9999999'],
    ['1', '1.5', '-0.5'],
    ['-0.05', '0.95', '-1.00'],
    ['9007199254740993', '0.01', '9007199254740992.99'],
  ])('%s less %s is %s, digit by digit', (a, b, difference) => {
    expect(subtractDecimals(a, b)).toBe(difference);
  });

  it.each([
    ['10', '9.99', 1],
    ['1.50', '1.5', 0],
    ['9', '10', -1],
    ['-1', '0.00', -1],
    ['9007199254740993', '9007199254740992', 1],
  ])('%s compares with %s: %s', (a, b, order) => {
    expect(compareDecimals(a, b)).toBe(order);
  });

  it('compares shares without rounding them', () => {
    const third = { amount: '1', per: '3' };
    expect(compareShares(third, { amount: '0.3333333', per: '1' })).toBe(1);
    expect(compareShares(third, { amount: '2', per: '6' })).toBe(0);
    expect(compareShares({ amount: '0.3333333', per: '1' }, third)).toBe(-1);
  });
});

/** The cards in the vectors of the formula, parsed from their bytes. */
const vectors = JSON.parse(readFileSync(new URL('../vectors/score-cards.json', import.meta.url), 'utf8')) as {
  cards: { name: string; bytes: string }[];
};
const cards = vectors.cards.map(({ name, bytes }) => ({ name, card: JSON.parse(bytes) as PartInputs }));
const scored = cards.filter(({ card }) => card.score !== null);
const unscored = cards.filter(({ card }) => card.score === null);

const sumOf = (parts: ScoreParts) => Object.values(parts).reduce((sum, points) => sum + points, 0);

describe('the parts of a score', () => {
  it.each(scored)('and the score are a hundred points: $name', ({ card }) => {
    const parts = scoreParts(card);
    const rest = 100 - sumOf(parts as ScoreParts);
    // Published scores are rounded down to two places.
    expect(rest - Number(card.score)).toBeGreaterThan(-1e-9);
    expect(rest - Number(card.score)).toBeLessThan(0.01);
    // As they are shown, to two places, they are a hundred exactly.
    const shown = wholeHundred(card.score ?? '0', parts as ScoreParts);
    const hundredths = [card.score ?? '0', ...Object.values(shown)].map((each) =>
      Math.round(Number(each) * 100),
    );
    expect(hundredths.reduce((sum, each) => sum + each, 0)).toBe(10_000);
    expect(Math.min(...hundredths)).toBeGreaterThanOrEqual(0);
  });

  it('counts as W what the worked example of docs/reputation.md does, and nothing without outcomes', () => {
    expect(wilsonInterval(401, 412)?.low).toBeCloseTo(0.9528298995, 9);
    expect(wilsonInterval(0, 12)?.low).toBeCloseTo(0, 12);
    expect(wilsonInterval(0, 0)).toBeNull();
  });

  it.each(unscored)('are none without a score: $name', ({ card }) => {
    expect(scoreParts(card)).toBeNull();
  });

  it('over corridors weigh by outcomes, and leave out corridors without a score', () => {
    const [first, second] = scored.map(({ card }) => card) as [PartInputs, PartInputs];
    const [one, two] = [scoreParts(first), scoreParts(second)] as [ScoreParts, ScoreParts];
    const without = unscored.map(({ card }) => card);
    const mean = meanParts([first, second, ...without]);
    const weighted =
      (one.time * first.outcomes + two.time * second.outcomes) / (first.outcomes + second.outcomes);
    expect(mean?.time).toBeCloseTo(weighted, 9);
    expect(meanParts(without)).toBeNull();
  });
});

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
});
