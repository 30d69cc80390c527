import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { withNamed } from '../../../server/features/intents/payment/payment-state.rules.js';
import { nextLookMs, timesAfter } from '../../../server/features/intents/polls/next-look.rules.js';
import {
  account,
  day,
  freshState,
  hour,
  limits,
  minute,
  second,
  see,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
const done = { ...paid, status: 'completed', amount_out: '1' };

function inMs(state: Intent, afterMs: number, pollable = true): number | null {
  const next = nextLookMs(state, startMs + afterMs, pollable);
  return next === null ? null : next - (startMs + afterMs);
}

const seen = see(freshState(), [0, {}]);
const funded = see(seen, [minute, paid]);
const error = see(funded, [hour, { ...paid, status: 'error' }]);
const refunded = see(seen, [minute, { ...paid, status: 'refunded' }]);
const resumed = freshState({ unknownPolls: 3 });

describe('the next poll of an intent', () => {
  it.each<[string, Intent, [afterMs: number, inMs: number | null][], boolean?]>([
    [
      'seldom for an id that nobody knows',
      freshState(),
      [
        [0, 20 * second],
        [600 * second, 600 * second],
        [day, hour],
      ],
    ],
    ['twice as late with each after it was resumed', resumed, [[day, 160 * second]]],
    [
      'soon while money may arrive',
      seen,
      [
        [0, 20 * second],
        [hour, 20 * second],
        [3 * hour, minute],
        [47 * hour, 15 * minute],
      ],
    ],
    [
      'soonest while a payout is under way',
      funded,
      [
        [2 * minute, 15 * second],
        [2 * hour + minute, minute],
        [61 * hour, 30 * minute],
      ],
    ],
    ['at the deadline without a transaction', freshState({ attachedAt: null }), [[0, day]]],
    [
      'hourly where the anchor cannot be polled',
      seen,
      [
        [0, hour],
        [2 * day - minute, minute],
      ],
      false,
    ],
    ['when an error has stood for a day', error, [[25 * hour - second, second]]],
    [
      'for 30 days after a failure',
      refunded,
      [
        [hour, 15 * minute],
        [30 * day, minute + 1],
        [30 * day + minute + 1, null],
      ],
    ],
    [
      'at the end of these, where the anchor cannot be polled',
      refunded,
      [[10 * day, 20 * day + minute + 1]],
      false,
    ],
    ['never once it expired', see(seen, [minute, { status: 'expired' }]), [[hour, null]]],
    ['never once it settled', see(seen, [minute, done]), [[hour, null]]],
  ])('comes %s', (_what, state, times, pollable = true) => {
    expect(times.map(([afterMs]) => inMs(state, afterMs, pollable))).toEqual(times.map(([, ms]) => ms));
  });

  it.each([{}, paid, { ...paid, status: 'error' }, { ...paid, status: 'completed' }, { status: 'error' }])(
    'is always in the future, so that no intent is polled in an endless loop: %j',
    (raw) => {
      let state = seen;
      let nowMs = startMs + minute;
      let looks = 0;
      for (let next: number | null = nowMs; next !== null; looks += 1) {
        nowMs = next;
        state = see(state, [nowMs - startMs, raw]);
        next = nextLookMs(state, nowMs, true);
        expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nowMs);
      }
      expect(state.outcome).not.toBeNull();
      expect(looks).toBeLessThan(6_000);
    },
  );

  it('is postponed by a poll alone, and brought forward by what was learned meanwhile', () => {
    const instructions = [{ account, memo: '7', memoType: 'id', storedAtMs: startMs }];
    const payment = withNamed({ ...seen.payment, instructions }, 'a'.repeat(64), 'wallet', startMs);
    const due = (of: number) => ({ ...seen, payment, due: new Date(startMs + of) });
    const dueAfter = (before: Intent, polledAtMs?: number) =>
      timesAfter(before, seen, polledAtMs === undefined ? {} : { polledAtMs }, startMs, limits).due;
    expect(dueAfter(due(second))).toEqual(new Date(startMs + second));
    expect(dueAfter(due(second), startMs)).toEqual(new Date(startMs + 20 * second));
    expect(dueAfter(due(hour))).toEqual(new Date(startMs + 20 * second));
  });

  it('leaves the next look-up as the ledger needs it, and removes only what nobody paid', () => {
    const instructions = [{ account, memo: '7', memoType: 'id', storedAtMs: startMs }];
    const named = withNamed({ ...seen.payment, instructions }, 'a'.repeat(64), 'wallet', startMs);
    const times = (next: Intent) => timesAfter(seen, next, {}, startMs, { ledger: true });
    expect(times({ ...seen, payment: named }).lookUpDue).toEqual(new Date(startMs));
    expect(times(seen)).toMatchObject({ lookUpDue: undefined, open: true });
    const expired = see(seen, [minute, { status: 'expired' }]);
    expect(times(expired).removeAt).toEqual(new Date(startMs + minute + 31 * day));
    expect(times(refunded).removeAt).toBeUndefined();
  });
});
