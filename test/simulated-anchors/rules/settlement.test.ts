import { describe, expect, it } from '@jest/globals';
import type { Ending } from '../../../scripts/simulated-anchors/profiles.js';
import { anchorDefinitions } from '../../../scripts/simulated-anchors/profiles.js';
import {
  drawEnding,
  drawMs,
  drawPpm,
  stepsAfterPayment,
  stepsUntilPayment,
} from '../../../scripts/simulated-anchors/settlement.js';

const times = { settleMs: 100_000, holdMs: 3_600_000, recoveryMs: 1_800_000, pickUpMs: null };

function walk(ending: Ending, changes: Partial<Parameters<typeof stepsAfterPayment>[2]> = {}) {
  return stepsAfterPayment(ending, 1_000_000, { ...times, ...changes }).map(({ atMs, status, effect }) =>
    [(atMs - 1_000_000) / 1000, status, effect].filter((each) => each !== undefined),
  );
}

describe('the steps after a payment', () => {
  it.each<[Ending, unknown[]]>([
    [
      'complete',
      [
        [40, 'pending_external'],
        [100, 'completed', 'payout'],
      ],
    ],
    [
      'refund',
      [
        [40, 'pending_external'],
        [100, 'refunded', 'refund'],
      ],
    ],
    [
      'refund-old-error',
      [
        [40, 'pending_external'],
        [100, 'error', 'refund-old'],
      ],
    ],
    [
      'refund-old-completed',
      [
        [40, 'pending_external'],
        [100, 'completed', 'refund-old'],
      ],
    ],
    [
      'fail',
      [
        [40, 'pending_external'],
        [100, 'error'],
      ],
    ],
    [
      'recover',
      [
        [40, 'pending_external'],
        [100, 'error'],
        [1900, 'pending_anchor'],
        [1930, 'completed', 'payout'],
      ],
    ],
    [
      'hold',
      [
        [20, 'on_hold'],
        [3620, 'pending_external'],
        [3700, 'completed', 'payout'],
      ],
    ],
    ['stuck', [[40, 'pending_external']]],
  ])('are as expected for %s', (ending, expected) => {
    expect(walk(ending)).toEqual(expected);
  });

  it('pay out cash when it is ready for pick-up, and complete when it is picked up', () => {
    expect(walk('complete', { pickUpMs: 600_000 })).toEqual([
      [40, 'pending_external'],
      [100, 'pending_user_transfer_complete', 'payout'],
      [700, 'completed'],
    ]);
  });
});

describe('the steps before a payment', () => {
  it('fill in the form and expire after a day', () => {
    const steps = stepsUntilPayment(0, () => 0, 1).map(({ atMs, status }) => [atMs / 1000, status]);
    expect(steps).toEqual([
      [5, 'pending_user_transfer_start'],
      [86_405, 'expired'],
    ]);
  });
});

describe('random draws', () => {
  it('choose an ending by its weight, and complete without any weights', () => {
    const profile = {
      settleSeconds: [1, 1],
      shortfallPpm: [0, 0],
      endings: { complete: 3, fail: 1 },
    } as const;
    const drawn = [0, 0.5, 0.749, 0.75, 0.999].map((value) => drawEnding(profile, () => value));
    expect(drawn).toEqual(['complete', 'complete', 'complete', 'fail', 'fail']);
    expect(drawEnding({ ...profile, endings: {} }, () => 0.5)).toBe('complete');
  });

  it('stay within their range, scaled by the pace', () => {
    expect([0, 0.5, 0.9999999].map((value) => drawMs([10, 20], () => value, 0.1))).toEqual([
      1000, 1500, 2000,
    ]);
    expect([0, 0.9999999].map((value) => drawPpm([0, 9], () => value))).toEqual([0, 9]);
  });
});

describe('the profiles of the fleet', () => {
  it('use every ending somewhere in the fleet', () => {
    const shown = new Set(
      anchorDefinitions.flatMap(({ profile }) => Object.keys(profile.settlement.endings)),
    );
    const all: Record<Ending, true> = {
      complete: true,
      refund: true,
      'refund-old-error': true,
      'refund-old-completed': true,
      fail: true,
      recover: true,
      hold: true,
      stuck: true,
      vanish: true,
      forget: true,
    };
    expect([...shown].sort()).toEqual(Object.keys(all).sort());
  });
});
