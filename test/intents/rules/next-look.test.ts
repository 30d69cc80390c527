import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { nextLookMs } from '../../../server/features/intents/polls/next-look.rules.js';
import {
  day,
  freshState,
  hour,
  limits,
  minute,
  outcome,
  second,
  see,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };

function inMs(state: Intent, afterMs: number, pollable = true): number | null {
  const next = nextLookMs(state, startMs + afterMs, pollable, limits);
  return next === null ? null : next - (startMs + afterMs);
}

describe('the next poll of an intent', () => {
  it('comes soon while money may arrive, and less often as the intent ages', () => {
    const state = see(freshState(), [0, {}]);
    expect(inMs(state, 0)).toBe(20 * second);
    expect(inMs(state, 3 * hour)).toBe(2 * minute);
    expect(inMs(state, 7 * hour)).toBe(15 * minute);
  });

  it('comes less and less often while the anchor does not know the transaction', () => {
    const looks = [0, 20, 40, 80, 600, 6_000].map((s) => inMs(freshState(), s * second));
    expect(looks).toEqual([20, 20, 40, 80, 600, 3_600].map((s) => s * second));
  });

  it('comes soonest while a payout is under way', () => {
    const state = see(freshState(), [0, {}], [minute, paid]);
    expect(inMs(state, 2 * minute)).toBe(15 * second);
    expect(inMs(state, 3 * hour)).toBe(5 * minute);
  });

  it('comes at the deadline when there is no transaction', () => {
    expect(inMs(freshState({ attachedAt: null }), 0)).toBe(day);
  });

  it('comes hourly for an anchor that cannot be polled, and never after a deadline', () => {
    expect(inMs(see(freshState(), [0, {}]), 0, false)).toBe(hour);
    expect(inMs(see(freshState(), [0, {}]), 2 * day - minute, false)).toBe(minute);
    const error = see(freshState(), [0, {}], [minute, paid], [hour, { ...paid, status: 'error' }]);
    expect(inMs(error, 25 * hour - second)).toBe(second);
  });

  it('continues for 30 days after a failure, then stops', () => {
    const failed = see(freshState(), [0, {}], [minute, { ...paid, status: 'refunded' }]);
    expect(outcome(failed)).toBe('failed refunded');
    expect(inMs(failed, hour)).toBe(15 * minute);
    expect(inMs(failed, 10 * day)).toBe(6 * hour);
    expect(inMs(failed, 10 * day, false)).toBe(20 * day + minute + 1);
    expect(inMs(failed, 30 * day + minute + 1)).toBeNull();
  });

  it('never comes once the intent is settled or expired', () => {
    expect(inMs(see(freshState(), [0, {}], [minute, { status: 'expired' }]), hour)).toBeNull();
    expect(
      inMs(see(freshState(), [0, {}], [minute, { ...paid, status: 'completed', amount_out: '1' }]), hour),
    ).toBeNull();
  });

  it('is always in the future, so that no intent is polled in an endless loop', () => {
    const records = [
      {},
      paid,
      { ...paid, status: 'error' },
      { ...paid, status: 'completed' },
      { status: 'error' },
      { ...paid, status: 'pending_user_transfer_complete' },
    ];
    for (const raw of records) {
      let state = see(freshState(), [0, {}]);
      let nowMs = startMs + minute;
      let looks = 0;
      for (let next: number | null = nowMs; next !== null; looks += 1) {
        nowMs = next;
        state = see(state, [nowMs - startMs, raw]);
        next = nextLookMs(state, nowMs, true, limits);
        expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nowMs);
      }
      expect(state.outcome).not.toBeNull();
      expect(looks).toBeLessThan(6_000);
    }
  });
});
