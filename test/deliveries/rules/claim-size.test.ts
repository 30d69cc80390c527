import { describe, expect, it } from '@jest/globals';
import { claimSize } from '../../../server/deliveries/endpoint-queue.js';
import { deliveryLimits } from '../../../server/deliveries/limits.js';

const size = (state: { free: number; eased?: boolean; answerMs: number }) =>
  claimSize({ eased: false, ...state }, deliveryLimits);

describe('claimSize', () => {
  it('is what can be sent at once, for an endpoint that is slow or not known yet', () => {
    for (const answerMs of [Number.POSITIVE_INFINITY, 101]) {
      expect(size({ free: 8, answerMs })).toBe(8);
      expect(size({ free: 1, answerMs })).toBe(1);
    }
  });

  it('is never 0, which would claim all that is due, where an endpoint has turned slow', () => {
    expect(size({ free: 0, answerMs: 101 })).toBe(1);
  });

  it.each([
    [1, 256],
    [15, 256],
    [16, 250],
    [40, 100],
    [100, 40],
  ])(
    'for an endpoint that answers in %i ms is %i, what eight at a time send in half a second',
    (answerMs, expected) => {
      expect(size({ free: 1, answerMs })).toBe(expected);
    },
  );

  it('is one for an endpoint that only fails', () => {
    expect(size({ free: 8, eased: true, answerMs: 5 })).toBe(1);
  });
});
