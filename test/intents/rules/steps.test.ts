import { describe, expect, it } from '@jest/globals';
import { handedOver } from '../../../server/features/intents/holder/ownership.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { stepsAfter } from '../../../server/features/intents/transition/steps.rules.js';
import { day, freshState, minute, see, startMs } from '../../fixtures/intents/intent-states.js';

const at = (ms: number) => new Date(startMs + ms);
const kinds = ({ steps }: Intent) => steps.map(({ kind }) => kind);
const paid = { status: 'pending_anchor', stellar_transaction_id: 'ab', amount_in: '100' };
const attached = ['registered', 'transaction_attached'];
const seen = 'transaction_status';

/** The intent after a write, which also stores the steps that result from it. */
function written(before: Intent, after: Intent, releasedAt?: Date): Intent {
  return { ...after, steps: stepsAfter(before, after, releasedAt) };
}
const follow = (intent: Intent, ...sights: [afterMs: number, raw: Record<string, unknown>][]) =>
  sights.reduce((before, sight) => written(before, see(before, sight)), intent);

const bare = freshState({ transactionId: undefined, attachedAt: null });
const fresh = written(bare, freshState());

describe('the steps of an intent', () => {
  const done = { ...paid, status: 'completed', amount_out: '150000' };
  const cash = { ...paid, status: 'pending_user_transfer_complete' };
  const open = follow(fresh, [minute, {}], [2 * minute, {}]);
  const payout = follow(open, [3 * minute, paid], [5 * minute, done]);
  const recovery = follow(open, [3 * minute, { ...paid, status: 'refunded' }], [day, done]);
  it.each<[string, Intent, string[]]>([
    ['nothing', bare, ['registered']],
    ['an attached transaction', fresh, attached],
    ['a payout', payout, [...attached, seen, seen, 'funds_received', seen, 'settled']],
    ['cash', follow(fresh, [minute, cash]), [...attached, seen, 'funds_received', 'ready_for_pickup']],
    ['a recovery', recovery, [...attached, seen, seen, 'funds_received', 'failed', seen, 'recovered']],
  ])('tell what was seen of it, in that order: %s', (_what, intent, expected) => {
    expect(kinds(intent)).toEqual(expected);
  });

  it('are never taken back: another transaction adds a step, and begins anew', () => {
    const first = follow(fresh, [minute, paid]);
    const released = written(first, handedOver(first), at(2 * minute));
    const next = { ...released, transactionId: 'tx-2', attachedAt: at(3 * minute) };
    const again = follow(written(released, next), [4 * minute, paid]);
    expect(again.steps).toEqual([
      ...first.steps,
      { kind: 'transaction_released', at: at(2 * minute) },
      { kind: 'transaction_attached', at: at(3 * minute) },
      { kind: 'transaction_status', at: at(4 * minute), word: 'pending_anchor' },
      { kind: 'funds_received', at: at(4 * minute) },
    ]);
  });

  it('tell that an expired intent is followed again when its payment is found', () => {
    const expired = follow(fresh, [minute, { status: 'expired' }]);
    const nextDay = startMs + day;
    const payment = { ...expired.payment, found: { lookedUpAtMs: nextDay }, takenUpAtMs: nextDay };
    const again = written(expired, { ...expired, status: 'pending', outcome: null, payment } as Intent);
    const added = ['reopened', 'payment_found'].map((kind) => ({ kind, at: at(day) }));
    expect(again.steps.slice(-2)).toEqual(added);
  });

  it('are bounded where they can be repeated at will, and never lack the outcome', () => {
    let intent = fresh;
    for (let times = 1; times <= 300; times += 1)
      intent = written(intent, { ...intent, transactionId: `tx-${times}`, attachedAt: at(times) });
    expect(intent.steps).toHaveLength(100);
    expect(kinds(follow(intent, [minute, { status: 'expired' }])).at(-1)).toBe('expired');
  });
});
