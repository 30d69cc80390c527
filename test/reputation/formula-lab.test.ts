import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { countHistory } from '../../scripts/lib/count-history.js';
import { seeded } from '../../scripts/lib/random.js';
import { anchorCards } from '../../server/features/reputation/card.rules.js';
import type { Evidence, JudgedIntent } from '../../server/features/reputation/what-counts.rules.js';
import { anchor } from '../fixtures/reputation/reputation-parts.js';
import {
  type Course,
  corridor,
  endOf,
  movesMoney,
  type Player,
  players,
  type Withdrawal,
  yearDays,
  yearOf,
} from './players.js';

/*
 * Plays parties that want a better record than they deserve, or a worse one for a rival, over a year, by the service's own
 * rules from the outcomes to the card. docs/reputation.md cites the year of seed 1.
 */
const dayMs = 86_400_000;
const newYear = Date.parse('2026-01-01T00:00:00.000Z');
const lastDay = new Date(newYear + (yearDays - 1) * dayMs).toISOString().slice(0, 10);
const judgedIn = (evidence: Evidence) => ({ evidence, speedTargets: new Map([[corridor, 600]]) });

interface Played {
  card: ReturnType<typeof cardsOf>[30];
  score90: string | null;
  own: Withdrawal[];
}

function intentOf(withdrawal: Withdrawal, index: number, evidence: Evidence): JudgedIntent {
  const { day, account, amount, course } = withdrawal;
  const [minutes, outcome] = endOf(course, evidence === 'ledger');
  const recordedAt = new Date(newYear + day * dayMs + minutes * 60_000);
  const place = { anchorId: 'player', corridor, account, sellAmount: String(amount) };
  const _id = String(index).padStart(8, '0');
  return { _id, ...place, outcome: { ...outcome, recordedAt }, unscoredReason: null, disputeEffect: null };
}

function cardsOf(intents: readonly JudgedIntent[], evidence: Evidence) {
  const rollups = countHistory(intents, evidence);
  const { windows } = anchorCards(anchor('player', [corridor]), rollups, lastDay, judgedIn(evidence));
  const cardOf = (wanted: 30 | 90) => {
    const card = windows.find(({ window }) => window === wanted)?.cards[0]?.card;
    if (card === undefined) throw new Error('there is no card');
    return card;
  };
  return { 30: cardOf(30), 90: cardOf(90) };
}

function play(player: Player, seed: number, evidence: Evidence = 'ledger'): Played {
  // Every player gets the same customers.
  const withdrawals = yearOf(player, seeded(seed));
  const cards = cardsOf(
    withdrawals.map((each, index) => intentOf(each, index, evidence)),
    evidence,
  );
  return { card: cards[30], score90: cards[90].score, own: withdrawals.filter(({ by }) => by === 'player') };
}

function named(name: string): Player {
  const found = players.find((player) => player.name === name);
  if (found === undefined) throw new Error(`nobody plays ${name}`);
  return found;
}

/** What the party spent: accounts, units of stablecoin that were at work within a day, and days. */
function spentOn(own: readonly Withdrawal[]) {
  const byDay = new Map<number, number>();
  for (const { day, amount, course } of own)
    byDay.set(day, (byDay.get(day) ?? 0) + (movesMoney(course) ? amount : 0));
  const accounts = new Set(own.map(({ account }) => account)).size;
  const capital = Math.max(0, ...byDay.values());
  const days = byDay.size === 0 ? 0 : Math.max(...byDay.keys()) - Math.min(...byDay.keys()) + 1;
  return { accounts, capital, days };
}

describe('docs/reputation.md', () => {
  it('cites how each party ends, and what it spends', () => {
    const guide = readFileSync(new URL('../../docs/reputation.md', import.meta.url), 'utf8');
    const rows = players.map((player) => {
      const { card, score90, own } = play(player, 1);
      const { accounts, capital, days } = spentOn(own);
      const figures = [card.score ?? '–', score90 ?? '–', card.outcomes, accounts, capital, days];
      return `| ${player.name}: ${player.does} | ${figures.join(' | ')} |`;
    });
    const cited = guide
      .split('\n')
      .filter((line) => players.some(({ name }) => line.startsWith(`| ${name}: `)));
    expect(rows).toEqual(cited);
  });
});

describe.each([1, 2, 3])('in the year of seed %i', (seed) => {
  const score = (name: string) => Number(play(named(name), seed).card.score ?? Number.NaN);

  it('whoever moves no money of his own ends below the honest anchor, in the order of his deeds', () => {
    const order = ['honest', 'part vanisher', 'under-payer', 'silent', 'vanisher'].map(score);
    expect(order).toEqual([...new Set(order)].sort((a, b) => b - a));
    expect(order.at(-1)).toBe(0);
    expect(play(named('inventor'), seed).card).toMatchObject({ outcomes: 0, score: null });
    expect(score('sybil wallets')).toBe(score('part vanisher'));
  });

  it('nobody holds the honest anchor back without paying it: its card is the same to the last digit', () => {
    const honest = play(named('honest'), seed).card;
    for (const name of ['honest, rival 1', 'honest, rival 2'])
      expect(play(named(name), seed).card).toEqual(honest);
  });

  it('capital that circulates buys a score, though not within a day', () => {
    expect(play(named('self-dealer, a day'), seed).card).toMatchObject({
      outcomes: 45,
      days90: 1,
      score: null,
    });
    expect(score('self-dealer, 7 days')).toBeGreaterThan(88);
    expect(score('self-dealer, 30 days')).toBeGreaterThan(score('honest'));
    expect(score('paid sybils')).toBeGreaterThan(score('honest'));
    expect(score('honest, rival 4')).toBeLessThan(score('honest, rival 3'));
  });
});

describe('the cheapest score', () => {
  /** Days, payments on each, and the accounts that make them in turn. */
  const bought = (days: number, aDay: number, accounts: number) => {
    const own = Array.from({ length: days * aDay }, (_, index): Withdrawal => {
      const course: Course = { kind: 'paid_out', afterSeconds: 1, shortfallPercent: 0, tells: true };
      const day = yearDays - days + Math.floor(index / aDay);
      return { day, account: `own-${index % accounts}`, amount: 10, course, by: 'player' };
    });
    return cardsOf(
      own.map((each, index) => intentOf(each, index, 'ledger')),
      'ledger',
    )[30].score;
  };

  it.each([
    ['seven days, five payments a day by three accounts', 7, 5, 3, true],
    ['a day less', 6, 15, 15, false],
    ['a payment a day less', 7, 4, 3, false],
    ['an account less', 7, 5, 2, false],
  ])('takes %s', (_what, days, aDay, accounts, isScored) => {
    expect(bought(days, aDay, accounts) !== null).toBe(isScored);
  });
});

it('where no ledger is configured, an anchor can invent its record', () => {
  const honest = play(named('honest'), 1, 'anchor').card;
  const inventor = play(named('inventor'), 1, 'anchor').card;
  expect(Number(inventor.score)).toBeGreaterThan(Number(honest.score));
  expect(inventor).toMatchObject({ evidence: 'anchor', ledgerOutcomes: 0 });
});
