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

  it('never falls when one more of the outcomes is filled', () => {
    monotone((each) => ({ ...each, filled: Math.min(each.outcomes, each.filled + 1) }), 'up');
  });

  it('never falls when the same fill rate is shown over twice as many outcomes', () => {
    monotone((each) => ({ ...each, outcomes: 2 * each.outcomes, filled: 2 * each.filled }), 'up');
  });

  it('never rises with one more outcome that is not filled', () => {
    monotone((each) => ({ ...each, outcomes: each.outcomes + 1 }), 'down');
  });

  it('never rises with a slower median', () => {
    monotone((each) => ({ ...each, p50SettleSeconds: (each.p50SettleSeconds ?? 0) + 7 }), 'down');
  });

  it('never rises with a larger shortfall', () => {
    monotone((each) => {
      const ppb = Number(each.meanShortfall ?? '0') * 1e9;
      return { ...each, meanShortfall: asShare(Math.min(1e9, Math.round(ppb) + 1_234)) };
    }, 'down');
  });

  it('never falls with a more patient speed target', () => {
    monotone((each) => ({ ...each, speedTargetSeconds: each.speedTargetSeconds + 60 }), 'up');
  });

  it('is null under 30 outcomes, 15 account-days or 7 days with outcomes, and only there', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 14 }),
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

  function monotone(change: (each: ScoreInputs) => ScoreInputs, direction: 'up' | 'down') {
    fc.assert(
      fc.property(inputs, (each) => {
        const before = Number(scoreOf(each));
        const after = Number(scoreOf(change(each)));
        if (direction === 'up') expect(after).toBeGreaterThanOrEqual(before);
        else expect(after).toBeLessThanOrEqual(before);
      }),
      { numRuns: 200 },
    );
  }
});

describe("an anchor's own score", () => {
  it('is the mean of its scored corridors weighted by their outcomes, rounded down', () => {
    const cards = [
      { score: '90.00', outcomes: 300 },
      { score: '50.00', outcomes: 100 },
      { score: null, outcomes: 29 },
    ];
    expect(weightedScore(cards)).toBe('80.00');
    expect(
      weightedScore([
        { score: '33.33', outcomes: 1 },
        { score: '33.34', outcomes: 2 },
      ]),
    ).toBe('33.33');
  });

  it('is null where no corridor is scored', () => {
    expect(weightedScore([])).toBeNull();
    expect(weightedScore([{ score: null, outcomes: 20 }])).toBeNull();
  });

  it('lies between the lowest and the highest score of its corridors', () => {
    const card = fc.record({
      score: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => (hundredths / 100).toFixed(2)),
      outcomes: fc.integer({ min: 30, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(card, { minLength: 1, maxLength: 20 }), (cards) => {
        const scores = cards.map(({ score }) => Number(score));
        const own = Number(weightedScore(cards));
        expect(own).toBeGreaterThanOrEqual(Math.min(...scores));
        expect(own).toBeLessThanOrEqual(Math.max(...scores));
      }),
    );
  });
});

function asShare(ppb: number): string {
  return (ppb / 1e9).toFixed(9);
}
