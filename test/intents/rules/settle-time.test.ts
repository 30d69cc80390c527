import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, freshState, minute, second, see } from '../../fixtures/intents/intent-states.js';

const paid = { status: 'pending_anchor', stellar_transaction_id: 'ab', amount_in: '100' };
const done = { ...paid, status: 'completed', amount_out: '150000' };
const ready = { ...paid, status: 'pending_user_transfer_complete', amount_out: '150000' };
const seconds = (...sights: Parameters<typeof see> extends [unknown, ...infer S] ? S : never) =>
  see(freshState(), ...sights).outcome?.settleSeconds;

describe('settleSeconds', () => {
  it('runs from the payment date of the anchor to completed_at', () => {
    expect(
      seconds(
        [0, {}],
        [100 * second, { ...paid, updated_at: at(70 * second) }],
        [200 * second, { ...done, completed_at: at(160 * second) }],
      ),
    ).toBe(90);
  });

  it('starts at our first observation of the funds if the anchor gives no date', () => {
    expect(
      seconds([0, {}], [100 * second, paid], [200 * second, { ...done, completed_at: at(160 * second) }]),
    ).toBe(60);
  });

  it('cannot be shortened by an early completed_at or a late payment date, beyond our observations', () => {
    expect(
      seconds(
        [0, {}],
        [100 * second, { ...paid, updated_at: at(900 * second) }],
        [180 * second, paid],
        [200 * second, { ...done, completed_at: at(1 * second) }],
      ),
    ).toBe(80);
  });

  it('cannot be lengthened by a future completed_at or an early payment date, beyond our observations', () => {
    expect(
      seconds(
        [50 * second, {}],
        [100 * second, { ...paid, updated_at: at(-900 * second) }],
        [200 * second, { ...done, completed_at: at(9_000 * second) }],
      ),
    ).toBe(150);
  });

  it('is half of the time since the last observation without funds if both were first seen together', () => {
    const together = (unfundedS: number) =>
      seconds([0, {}], [unfundedS * second, {}], [300 * second, { ...done, completed_at: at(220 * second) }]);
    expect(together(180)).toBe(20);
    expect(together(160)).toBe(30);
    expect(together(159)).toBeNull();
  });

  it('ends when cash is ready for pick-up, however long it waits there', () => {
    expect(
      seconds(
        [0, {}],
        [100 * second, paid],
        [200 * second, { ...ready, updated_at: at(150 * second) }],
        [3_000 * minute, ready],
        [5_000 * minute, done],
      ),
    ).toBe(50);
  });

  it('ends at the later readiness if the anchor withdraws the first', () => {
    expect(
      seconds(
        [0, {}],
        [100 * second, paid],
        [110 * second, ready],
        [400 * second, paid],
        [500 * second, ready],
        [600 * second, done],
      ),
    ).toBe(400);
  });

  it('ends at the completion that names the payout, not at a withdrawn one', () => {
    const bare = { ...done, amount_out: undefined };
    expect(
      seconds(
        [0, {}],
        [100 * second, paid],
        [110 * second, bare],
        [400 * second, paid],
        [500 * second, done],
      ),
    ).toBe(400);
  });

  it('is whole, not negative, and at most the time we observed, whatever dates the anchor gives', () => {
    const date = fc.integer({ min: -1e7, max: 1e7 }).map((ms) => at(ms));
    fc.assert(
      fc.property(date, date, date, (paidAt, readyAt, completedAt) => {
        const value = seconds(
          [0, {}],
          [100 * second, { ...paid, updated_at: paidAt }],
          [200 * second, { ...ready, updated_at: readyAt }],
          [300 * second, { ...done, completed_at: completedAt, updated_at: completedAt }],
        );
        expect(Number.isInteger(value) && (value ?? -1) >= 0 && (value ?? 999) <= 300).toBe(true);
      }),
    );
  });
});
