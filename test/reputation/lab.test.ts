import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { players } from '../../scripts/lab/players.js';
import { legendOf, reportOf } from '../../scripts/lab/report.js';
import { type Played, playYears } from '../../scripts/lab/year.js';
import { propertyRuns } from '../support/property-runs.js';

const guide = readFileSync(new URL('../../docs/reputation.md', import.meta.url), 'utf8');
const cited = playYears(1);

const of = (played: readonly Played[], name: string): Played => {
  const found = played.find(({ player }) => player.name === name);
  if (found === undefined) throw new Error(`nobody plays ${name}`);
  return found;
};
const score = (played: readonly Played[], name: string, formula: 'v1' | 'v2' = 'v2') =>
  Number(of(played, name).endings[formula].card.score ?? Number.NaN);

describe('the formula lab', () => {
  it('prints what docs/reputation.md cites', () => {
    const block = /```text\n([\s\S]*?)```/.exec(guide)?.[1];
    expect(`${reportOf(cited)}\n${legendOf(cited)}`).toBe(block);
  });

  it('gives the figures that the text beside the table names', () => {
    const section = guide
      .slice(guide.indexOf('**What `v2` does not prevent'), guide.indexOf('## How it is computed'))
      .replaceAll('\n', ' ');
    const { card } = of(cited, 'self-dealer, 30').endings.v2;
    expect(section).toContain(
      `Thirty outcomes with ${card.score} take 15 days, two accounts, 20 units of capital`,
    );
    expect(of(cited, 'self-dealer, 30').spent).toMatchObject({
      accounts: 2,
      capital: 20,
      reserveXlm: 3,
      days: 15,
    });
    expect(of(cited, 'self-dealer, 30').spent.feesXlm).toBeLessThan(0.001);
    expect(section).toContain(
      `30 days give ${score(cited, 'self-dealer, 360')} for ${of(cited, 'self-dealer, 360').spent.capital} units`,
    );
    expect(section).toContain(`from ${score(cited, 'honest')} to ${score(cited, 'honest, rival 3')}`);
  });
});

/** One year in the short tests, more in the long ones. */
const seeds = Array.from({ length: propertyRuns(8) }, (_, index) => index + 1);

describe.each(seeds)('in the year of seed %i, whoever moves no money of his own on the ledger', (seed) => {
  const played = seed === 1 ? cited : playYears(seed);

  it('ends by v2 in the order that docs/reputation.md promises', () => {
    const order = ['honest', 'part vanisher', 'under-payer', 'silent', 'vanisher'].map((name) =>
      score(played, name),
    );
    expect(order).toEqual([...order].sort((a, b) => b - a));
    expect(new Set(order).size).toBe(order.length);
    expect(order.at(-1)).toBe(0);
    expect(of(played, 'inventor').endings.v2.card).toMatchObject({ outcomes: 0, score: null });
    expect(score(played, 'sybil wallets')).toBe(score(played, 'part vanisher'));
  });

  it('passes the honest anchor by v1, as an inventor or in silence', () => {
    for (const name of ['inventor', 'silent', 'sybil wallets']) {
      expect(score(played, name, 'v1')).toBeGreaterThan(score(played, 'honest', 'v1'));
    }
    expect(of(played, 'vanisher').endings.v1.card).toMatchObject({ outcomes: 0, score: null });
  });

  it('cannot hold the honest anchor back: its card is the same to the last digit', () => {
    for (const name of ['honest, rival 1', 'honest, rival 2']) {
      expect(of(played, name).endings.v2.card).toEqual(of(played, 'honest').endings.v2.card);
    }
  });

  it('is passed by those who circulate capital, which is what a record costs', () => {
    expect(score(played, 'self-dealer, 360')).toBeGreaterThan(score(played, 'honest'));
    expect(score(played, 'paid sybils')).toBeGreaterThan(score(played, 'honest'));
    expect(score(played, 'honest, rival 4')).toBeLessThan(score(played, 'honest, rival 3'));
  });
});

it('the same seed gives the same year, and another one another', () => {
  const few = players.slice(0, 2);
  expect(playYears(1, few)).toEqual(cited.slice(0, 2));
  expect(playYears(2, few)).not.toEqual(cited.slice(0, 2));
});
