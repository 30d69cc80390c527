import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import { withNamed } from '../../../server/features/intents/payment/payment-state.rules.js';
import { nextLookMs, timesAfter } from '../../../server/features/intents/polls/next-look.rules.js';
import {
  account,
  courseOf,
  day,
  freshState,
  hour,
  limits,
  minute,
  rowsOf,
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

const states: Record<string, Intent> = {
  ...{ unseen: freshState(), seen, funded, error, refunded, resumed: freshState({ unknownPolls: 3 }) },
  unattached: freshState({ attachedAt: null }),
  expired: see(seen, [minute, { status: 'expired' }]),
  settled: see(seen, [minute, done]),
};
/** In how long the next look comes, this long after the transaction was attached; of anchors that can be polled, and not. */
const table = `
seldom for an id that nobody knows         | unseen     | 0s 20s, 10m 10m, 1d 1h
twice as late with each after it resumed   | resumed    | 1d 2m40s
soon while money may arrive                | seen       | 0s 20s, 1h 20s, 3h 1m, 47h 15m
soonest while a payout is under way        | funded     | 2m 15s, 2h1m 1m, 61h 30m
at the deadline without a transaction      | unattached | 0s 1d
hourly where nobody can be polled          | seen       |                         | 0s 1h, 47h59m 1m
when an error has stood for a day          | error      | 24h59m59s 1s
for 30 days after a failure                | refunded   | 1h 15m, 20d1m 5h
never once it expired or settled           | expired    | 1h never
never once it settled                      | settled    | 1h never
`;

describe('the next poll of an intent', () => {
  it.each(rowsOf(table))('comes %s', (_what, from = '', polled = '', unpolled = '') => {
    for (const [pollable, course] of [
      [true, polled],
      [false, unpolled],
    ] as const)
      for (const [afterMs, next] of course === '' ? [] : courseOf(course))
        expect(inMs(states[from] ?? seen, afterMs, pollable)).toBe(next === 'never' ? null : spanOf(next));
  });

  it('comes last when a failure can be made good no more', () => {
    expect(inMs(refunded, 10 * day, false)).toBe(20 * day + minute + 1);
    expect([inMs(refunded, 30 * day), inMs(refunded, 30 * day + minute + 1)]).toEqual([minute + 1, null]);
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

  const instructions = [{ account, memo: '7', memoType: 'id', storedAtMs: startMs }];
  const payment = withNamed({ ...seen.payment, instructions }, 'a'.repeat(64), 'wallet', startMs);

  it('is postponed by a poll alone, and brought forward by what was learned meanwhile', () => {
    const due = (of: number) => ({ ...seen, payment, due: new Date(startMs + of) });
    const dueAfter = (before: Intent, polledAtMs?: number) =>
      timesAfter(before, seen, polledAtMs === undefined ? {} : { polledAtMs }, startMs, limits).due;
    expect(dueAfter(due(second))).toEqual(new Date(startMs + second));
    expect(dueAfter(due(second), startMs)).toEqual(new Date(startMs + 20 * second));
    expect(dueAfter(due(hour))).toEqual(new Date(startMs + 20 * second));
  });

  it('leaves the next look-up as the ledger needs it, and removes only what nobody paid', () => {
    const times = (next: Intent) => timesAfter(seen, next, {}, startMs, { ledger: true });
    expect(times({ ...seen, payment }).lookUpDue).toEqual(new Date(startMs));
    expect(times(seen)).toMatchObject({ lookUpDue: undefined, open: true });
    const expired = see(seen, [minute, { status: 'expired' }]);
    expect(times(expired).removeAt).toEqual(new Date(startMs + minute + 31 * day));
    expect(times(refunded).removeAt).toBeUndefined();
  });
});

function spanOf(text: string) {
  return courseOf(`${text} x`)[0]?.[0];
}
