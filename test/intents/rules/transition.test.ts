import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  at,
  day,
  freshState,
  hour,
  limits,
  minute,
  outcome,
  record,
  second,
  see,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
const error = { ...paid, status: 'error' };
const done = { ...paid, status: 'completed', amount_out: '150000' };

/** Lets time pass without an observation of the anchor. */
const wait = (state: Intent, afterMs: number) => transition(state, null, startMs + afterMs, limits);

describe('an intent whose funds were received', () => {
  const funded = see(freshState(), [0, {}], [minute, paid]);

  it('fails after 24 hours in error, and not a second earlier', () => {
    const broken = see(funded, [hour, error]);
    expect(outcome(see(broken, [25 * hour - second, error]))).toBe('pending');
    expect(outcome(see(broken, [25 * hour, error]))).toBe('failed error');
    expect(outcome(wait(broken, 25 * hour))).toBe('failed error');
  });

  it('restarts the 24 hours when the anchor withdraws the error', () => {
    const state = see(funded, [hour, error], [10 * hour, paid], [11 * hour, error], [34 * hour, error]);
    expect(outcome(state)).toBe('pending');
    expect(outcome(see(state, [35 * hour, error]))).toBe('failed error');
  });

  it('becomes overdue even if the anchor alternates between error and open', () => {
    const state = see(
      funded,
      ...[20, 40, 60, 71].flatMap((h): [number, Record<string, unknown>][] => [
        [h * hour, error],
        [(h + 1) * hour, paid],
      ]),
    );
    expect(outcome(see(state, [73 * hour, paid]))).toBe('failed overdue');
  });

  it('becomes overdue when it is observed open after the time limit, counted from payment', () => {
    expect(outcome(see(funded, [72 * hour, paid]))).toBe('pending');
    expect(outcome(see(funded, [72 * hour + minute, paid]))).toBe('failed overdue');
  });

  it('becomes overdue without an observation only after one more day, since a callback may be lost', () => {
    expect(outcome(wait(funded, 73 * hour))).toBe('pending');
    expect(outcome(wait(funded, 96 * hour + minute))).toBe('failed overdue');
  });

  it('does not become overdue while cash waits for pick-up', () => {
    const ready = { ...paid, status: 'pending_user_transfer_complete' };
    expect(outcome(see(funded, [hour, ready], [60 * day, ready]))).toBe('pending');
    expect(outcome(wait(see(funded, [hour, ready]), 91 * day))).toBe('expired not_collected');
  });

  it('becomes overdue where its anchor says of a transfer that it waits for pick-up, and is not timed by that', () => {
    const ready = { ...paid, status: 'pending_user_transfer_complete' };
    const transfer = { ...funded, corridorTerms: { ...funded.corridorTerms, mayBeCollected: false } };
    const state = see(transfer, [hour, ready]);
    expect(state.observations.readyAtMs).toBe(null);
    expect(outcome(see(state, [72 * hour + minute, ready]))).toBe('failed overdue');
    const settled = see(state, [10 * hour, done]);
    expect(outcome(settled)).toBe('settled completed');
    expect(settled.outcome?.settleSeconds).toBeGreaterThan(9 * 3_600);
  });

  it('waits for an amount when completed without one, and settles when it comes', () => {
    const bare = { ...done, amount_out: undefined };
    const state = see(funded, [hour, bare]);
    expect(outcome(see(state, [24 * hour, done]))).toBe('settled completed');
    expect(outcome(wait(state, 25 * hour))).toBe('failed unproven');
  });

  it.each([
    ['E notation', { amount_in: '1E+2', amount_out: '1.5285772E+5' }],
    ['padding', { amount_out: '152857.7200000000000000000000' }],
  ])('settles with the amount that a decimal library wrote with %s', (_name, amounts) => {
    const settled = see(funded, [hour, { ...done, ...amounts }]);
    expect(outcome(settled)).toBe('settled completed');
    expect(settled.outcome?.amountOut).toBe('152857.72');
    expect(settled.unscoredReason).toBe(null);
  });

  it('tells of an amount that cannot be read, which counts for nobody a day later', () => {
    const state = see(funded, [hour, { ...done, amount_out: '152,857.72' }]);
    expect(outcome(state)).toBe('pending');
    expect(state.problem).toBe('unreadable_amount');
    const settled = see(state, [2 * hour, done]);
    expect(settled).toMatchObject({ problem: null, unscoredReason: null });
    expect(outcome(settled)).toBe('settled completed');
    for (const left of [wait(state, 25 * hour), see(state, [25 * hour, { ...done, amount_out: 'all' }])]) {
      expect(outcome(left)).toBe('settled completed');
      expect(left.unscoredReason).toBe('amount_unreadable');
      expect(left.outcome).toMatchObject({ amountOut: null, shortfallPpb: null });
    }
  });

  it('does not count a completion whose refund cannot be read', () => {
    const state = see(funded, [hour, { ...done, refunds: { amount_refunded: '99,5' } }]);
    expect(outcome(state)).toBe('settled completed');
    expect(state.unscoredReason).toBe('amount_unreadable');
  });

  it('fails after a day of errors and completions without a payout, in whatever order they come', () => {
    const bare = { ...done, amount_out: undefined };
    const state = see(funded, [hour, error], [12 * hour, bare], [20 * hour, error]);
    expect(outcome(state)).toBe('pending');
    expect(outcome(see(state, [25 * hour, bare]))).toBe('failed unproven');
    expect(outcome(wait(state, 25 * hour))).toBe('failed error');
    expect(outcome(wait(see(state, [24 * hour, paid]), 26 * hour))).toBe('pending');
  });

  it('stays funded, whatever later records say', () => {
    const state = see(
      funded,
      [hour, { status: 'pending_user_transfer_start' }],
      [2 * hour, { status: 'expired' }],
    );
    expect(outcome(state)).toBe('pending');
    expect(outcome(wait(state, 26 * hour))).toBe('failed error');
  });

  it('settles with the shortfall of the payout against the quote', () => {
    const state = see(funded, [hour, { ...done, amount_out: '148500' }]);
    expect(state.outcome).toMatchObject({
      kind: 'settled',
      shortfallPpb: 10_000_000,
      recordedAt: new Date(startMs + hour),
    });
  });

  it('measures the shortfall by the amount paid in, not by a smaller amount claimed later', () => {
    const state = see(funded, [hour, { ...done, amount_in: '90', amount_out: '135000' }]);
    expect(state.outcome?.shortfallPpb).toBe(100_000_000);
  });
});

describe('an intent whose funds were not received', () => {
  it('expires at the deadline when no transaction is attached', () => {
    const state = freshState({ attachedAt: null });
    expect(outcome(wait(state, day - 1))).toBe('pending');
    expect(outcome(wait(state, day))).toBe('expired no_transaction');
  });

  it('expires a day after the deadline when a transaction is attached, since a payment may be under way', () => {
    const state = see(freshState(), [0, {}], [day, {}]);
    expect(outcome(state)).toBe('pending');
    expect(outcome(wait(state, 2 * day))).toBe('expired never_funded');
    expect(outcome(wait(freshState(), 2 * day))).toBe('expired never_funded');
  });

  it('does not take pending_anchor as proof of funds, since it also occurs during KYC', () => {
    expect(outcome(see(freshState(), [0, {}], [2 * day, { status: 'pending_anchor' }]))).toBe(
      'expired never_funded',
    );
  });
});

describe('an observation', () => {
  it('changes nothing when it is older than the last one', () => {
    const funded = see(freshState(), [0, {}], [minute, paid]);
    const late = { record: record(error), observedAtMs: startMs + 30 * second };
    expect(transition(funded, late, startMs + 2 * minute, limits)).toBe(funded);
  });

  it('changes nothing when a late repeated callback carries an older date', () => {
    const told = { status: 'pending_external', stellar_transaction_id: 'ab', updated_at: at(minute) };
    const funded = see(freshState(), [0, {}], [minute, told]);
    const repeated = record({ ...error, updated_at: at(30 * second) });
    const observedAtMs = startMs + 2 * minute;
    expect(
      transition(funded, { record: repeated, observedAtMs, mayBeLate: true }, observedAtMs, limits),
    ).toBe(funded);
    expect(
      transition(funded, { record: repeated, observedAtMs }, observedAtMs, limits).observations.status,
    ).toBe('error');
    const undated = { record: record(error), observedAtMs, mayBeLate: true };
    expect(transition(funded, undated, observedAtMs, limits).observations.status).toBe('error');
  });

  it('changes nothing for an intent without a transaction', () => {
    const state = freshState({ attachedAt: null });
    expect(see(state, [0, done])).toBe(state);
  });
});

describe('a failed intent', () => {
  const failed = see(
    freshState(),
    [0, {}],
    [minute, { ...paid, updated_at: at(minute) }],
    [2 * hour, error],
    [27 * hour, error],
  );

  it('becomes settled when its anchor completes it, and counts on the day it failed', () => {
    const state = see(failed, [20 * day, { ...done, completed_at: at(20 * day) }]);
    expect(state.outcome).toMatchObject({
      kind: 'settled',
      reason: 'recovered',
      recordedAt: new Date(startMs + 27 * hour),
      settleSeconds: (20 * day - minute) / second,
    });
    expect(state.recoveredAt).toEqual(new Date(startMs + 20 * day));
  });

  it('does not recover after 30 days', () => {
    const limit = 27 * hour + 30 * day;
    expect(outcome(see(failed, [limit, done]))).toBe('settled recovered');
    expect(outcome(see(failed, [limit + 1, done]))).toBe('failed error');
  });

  it('does not recover through a refund or a completion without a payout', () => {
    expect(outcome(see(failed, [2 * day, { ...done, amount_out: undefined }]))).toBe('failed error');
    expect(outcome(see(failed, [2 * day, { ...done, refunded: true }]))).toBe('failed error');
    expect(outcome(see(failed, [2 * day, { ...paid, status: 'refunded' }]))).toBe('failed error');
  });

  it('recovers once; later records change nothing', () => {
    const settled = see(failed, [2 * day, done]);
    expect(see(settled, [3 * day, error], [9 * day, error], [10 * day, done])).toBe(settled);
  });

  it.each(['unproven', 'overdue', 'refunded'])('recovers from %s too', (reason) => {
    const told = {
      unproven: { ...done, amount_out: undefined },
      overdue: paid,
      refunded: { ...paid, status: 'refunded' },
    }[reason];
    const state = see(freshState(), [0, {}], [minute, paid], [hour, told ?? {}], [80 * hour, told ?? {}]);
    expect(outcome(state)).toBe(`failed ${reason}`);
    expect(outcome(see(state, [100 * hour, done]))).toBe('settled recovered');
  });

  it('stays scored, whatever a later record or an unscored completion says', () => {
    const unnamed = { amount_in: undefined };
    const counted = see(
      freshState(),
      [0, {}],
      [minute, { ...paid, ...unnamed }],
      [2 * hour, { ...error, ...unnamed }],
      [27 * hour, { ...error, ...unnamed }],
    );
    const other = see(counted, [2 * day, { ...error, amount_in: '1' }]);
    expect(other.unscoredReason).toBeNull();
    for (const amount_in of [undefined, '1']) {
      const state = see(counted, [3 * day, { ...done, amount_in }]);
      expect([outcome(state), state.unscoredReason]).toEqual(['failed error', null]);
    }
  });
});

describe('an ended intent', () => {
  it.each([
    ['settled completed', see(freshState(), [0, {}], [minute, paid], [hour, done])],
    ['expired abandoned', see(freshState(), [0, {}], [minute, { status: 'expired' }])],
  ])('%s does not change any more', (expected, state) => {
    expect(outcome(state)).toBe(expected);
    for (const raw of [done, error, { ...paid, status: 'refunded' }, {}]) {
      expect(see(state, [90 * day, raw])).toBe(state);
    }
    expect(wait(state, 365 * day)).toBe(state);
  });
});
