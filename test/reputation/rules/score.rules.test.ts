import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  leastAccountDays,
  leastDays90,
  leastOutcomes,
  type ScoreInputs,
  scoreOf,
  weightedScore,
} from '../../../contract/verification/score.js';

const inputs = fc
  .record({
    outcomes: fc.integer({ min: leastOutcomes, max: 1_000_000 }),
    filledShare: fc.double({ min: 0, max: 1, noNaN: true }),
    accountDays: fc.integer({ min: leastAccountDays, max: 1_000_000 }),
    days90: fc.integer({ min: leastDays90, max: 90 }),
    p50SettleSeconds: fc.option(fc.integer({ min: 0, max: 7_776_000 })),
    shortfallPpb: fc.option(fc.integer({ min: 0, max: 1_000_000_000 })),
    speedTargetSeconds: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map(
    ({ filledShare, shortfallPpb, ...rest }): ScoreInputs => ({
      ...rest,
      filled: Math.round(rest.outcomes * filledShare),
      meanShortfall: shortfallPpb === null ? null : asShare(shortfallPpb),
    }),
  );

const good: ScoreInputs = {
  outcomes: 412,
  filled: 401,
  accountDays: 388,
  days90: 88,
  p50SettleSeconds: 91,
  meanShortfall: '0.000120000',
  speedTargetSeconds: 600,
};

describe('the score of a card', () => {
  it('lies within 0 and 100 and has two places, whatever the inputs', () => {
    fc.assert(
      fc.property(inputs, (each) => {
        const score = scoreOf(each);
        expect(score).toMatch(/^(0|[1-9]\d{0,2})\.\d\d$/);
        expect(Number(score)).toBeLessThanOrEqual(100);
      }),
      { numRuns: 300 },
    );
  });

  const shortBy = (ppb: number) => (each: ScoreInputs) => {
    const before = Math.round(Number(each.meanShortfall ?? '0') * 1e9);
    return { ...each, meanShortfall: asShare(Math.min(1e9, before + ppb)) };
  };
  it.each<[string, 'up' | 'down', (of: ScoreInputs) => ScoreInputs]>([
    ['one more outcome filled', 'up', (of) => ({ ...of, filled: Math.min(of.outcomes, of.filled + 1) })],
    ['the same fill rate twice', 'up', (of) => ({ ...of, outcomes: 2 * of.outcomes, filled: 2 * of.filled })],
    ['a more patient target', 'up', (of) => ({ ...of, speedTargetSeconds: of.speedTargetSeconds + 60 })],
    ['one more outcome not filled', 'down', (of) => ({ ...of, outcomes: of.outcomes + 1 })],
    ['a slower median', 'down', (of) => ({ ...of, p50SettleSeconds: (of.p50SettleSeconds ?? 0) + 7 })],
    ['a larger shortfall', 'down', shortBy(1_234)],
  ])('with %s never moves but %s', (_what, direction, change) => {
    fc.assert(
      fc.property(inputs, (each) => {
        const by = Number(scoreOf(change(each))) - Number(scoreOf(each));
        if (direction === 'up') expect(by).toBeGreaterThanOrEqual(0);
        else expect(by).toBeLessThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });

  it('is null under 30 outcomes, 15 account-days or 7 days with outcomes, and only there', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 27, max: 32 }),
        fc.integer({ min: 13, max: 17 }),
        fc.integer({ min: 5, max: 8 }),
        (outcomes, accountDays, days90) => {
          const score = scoreOf({ ...good, outcomes, filled: outcomes, accountDays, days90 });
          expect(score === null).toBe(outcomes < 30 || accountDays < 15 || days90 < 7);
        },
      ),
    );
    expect(scoreOf({ ...good, outcomes: 30, filled: 30, accountDays: 15, days90: 7 })).not.toBeNull();
    expect(scoreOf({ ...good, outcomes: 30, filled: 30, accountDays: 15, days90: 6 })).toBeNull();
    expect(scoreOf({ ...good, outcomes: 29, filled: 29, accountDays: 29 })).toBeNull();
    expect(scoreOf({ ...good, outcomes: 30, filled: 30, accountDays: 14 })).toBeNull();
  });

  it('is 0.00 when nothing was filled, and when payouts are a tenth short', () => {
    expect(scoreOf({ ...good, filled: 0, p50SettleSeconds: null, meanShortfall: null })).toBe('0.00');
    expect(scoreOf({ ...good, meanShortfall: '0.100000000' })).toBe('0.00');
    expect(scoreOf({ ...good, meanShortfall: '1.000000000' })).toBe('0.00');
  });

  it('is N / (N + z²) for a perfect record, halves with each speed target the median takes, and rounds down', () => {
    const perfect = { ...good, outcomes: 100, filled: 100, meanShortfall: null };
    // 100 × 100 / 103.8414588… = 96.300…
    expect(scoreOf({ ...perfect, p50SettleSeconds: 0 })).toBe('96.30');
    expect(scoreOf({ ...perfect, p50SettleSeconds: 600 })).toBe('48.15');
    expect(scoreOf({ ...perfect, outcomes: 1_000_000, filled: 1_000_000, p50SettleSeconds: 0 })).toBe(
      '99.99',
    );
  });

  it('does not penalise the anchor for values that were not measured', () => {
    const unmeasured = scoreOf({ ...good, p50SettleSeconds: null, meanShortfall: null });
    expect(unmeasured).toBe(scoreOf({ ...good, p50SettleSeconds: 0, meanShortfall: '0.000000000' }));
  });
});

describe("an anchor's own score", () => {
  it('is the mean of its scored corridors weighted by their outcomes, rounded down', () => {
    const card = (score: string | null, outcomes: number) => ({ score, outcomes });
    expect(weightedScore([card('90.00', 300), card('50.00', 100), card(null, 29)])).toBe('80.00');
    expect(weightedScore([card('33.33', 1), card('33.34', 2)])).toBe('33.33');
  });

  it('is null where no corridor is scored', () => {
    expect(weightedScore([])).toBeNull();
    expect(weightedScore([{ score: null, outcomes: 20 }])).toBeNull();
  });
});

function asShare(ppb: number): string {
  return (ppb / 1e9).toFixed(9);
}
