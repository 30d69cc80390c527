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

describe('figures and times in the words of the language', () => {
  it.each([
    ['money', english.money('1548230.5', 'NGN'), 'NGN 1,548,230.50'],
    ['money', french.money('1548230.5', 'NGN'), '1 548 230,50 NGN'],
    ['an asset', english.asset('1234.5', 'USDC'), '1,234.50 USDC'],
    ['an asset', french.asset('1234.5', 'USDC'), '1 234,50 USDC'],
    ['every digit', english.asset('9007199254740993.0000001', 'USDC'), '9,007,199,254,740,993.0000001 USDC'],
    ['an asset that has the code of a currency', english.asset('100', 'BRL'), '100 BRL'],
    ['a currency', english.money('100', 'BRL'), 'R$100'],
    ['a share that is not none', english.smallShare('0.000000094'), '< 0.01%'],
    ['none', english.smallShare('0'), '0%'],
    ['a small share', english.smallShare('0.0123'), '1.23%'],
    ['nearly all', english.percent('0.9996'), '99.9%'],
    ['nearly all', english.percent(0.99996, 2), '99.99%'],
    ['all', english.percent(1), '100%'],
    ['this instant', english.ago(0), 'now'],
    ['less than a minute ago', english.ago(59), '59 sec. ago'],
    ['a minute ago', english.ago(60), '1 min. ago'],
    ['less than an hour ago', english.ago(3_599), '59 min. ago'],
    ['hours ago', english.ago(7_200), '2 hr. ago'],
    ['nearly two days ago', english.ago(47 * 3_600), '1 day ago'],
    ['this instant', french.ago(0), 'maintenant'],
    ['a day ago', french.ago(86_400), 'il y a 1 j'],
    ['no time', english.duration(0), '0 sec'],
    ['a minute and a half', english.duration(90), '1.5 min'],
    ['an hour', english.duration(3_600), '1 hr'],
    ['a day and a half', english.duration(129_600), '1.5 days'],
    ['an hour and a half', french.duration(5_400), '1,5 h'],
  ])('%s: %s', (_, text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  it('shares are rounded down from the decimal that they are, not from the float that stands for it', () => {
    for (let part = 0; part <= 1_000; part += 1) expect(english.percent(part / 1_000)).toBe(`${part / 10}%`);
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
  it('is told by the thresholds of the formula', () => {
    const { leastOutcomes: n, leastAccountDays: d, leastDays90: days } = formula;
    expect([leastOutcomes, leastAccountDays, leastDays90]).toEqual([n, d, days]);
  });

  it.each([
    ['unused', 0, 0, 7],
    ['fewOutcomes', 29, 29, 7],
    ['fewAccountDays', 30, 14, 7],
    ['fewDays', 45, 40, 6],
    ['spreadThin', 45, 40, 7],
  ])('is %s', (standing, outcomes, accountDays, days90) => {
    const record = { outcomes, accountDays, days90 };
    expect(standingOf({ state: 'insufficient_data', ...record })).toBe(standing);
    expect(standingOf({ state: 'scored', ...record })).toBe('scored');
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

it.each([
  ['sep24', 'asset_code=USDC\nasset_issuer=GA5Z\ndestination_asset=iso4217:NGN'],
  ['sep6', 'source_asset=USDC\ndestination_asset=iso4217:NGN'],
] as const)('what starts a withdrawal is named as %s names it', (protocol, named) => {
  const point = { assetCode: 'USDC', assetIssuer: 'GA5Z', destinationAsset: 'iso4217:NGN' };
  expect(startParameters({ ...point, protocol })).toBe(named);
});
