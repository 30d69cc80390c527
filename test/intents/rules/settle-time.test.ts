import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, freshState, second, see } from '../../fixtures/intents/intent-states.js';

type Raw = Record<string, unknown>;
/** What is seen this many seconds after the transaction was attached. */
type Sight = [afterSeconds: number, raw: Raw];

const told = (status: string, more: Raw) => (seconds: number | null) => ({
  ...{ status, stellar_transaction_id: 'ab', amount_in: '100', ...more },
  ...(seconds === null ? {} : { updated_at: at(seconds * second), completed_at: at(seconds * second) }),
});
const paid = told('pending_anchor', {});
const ready = told('pending_user_transfer_complete', { amount_out: '150000' });
const done = told('completed', { amount_out: '150000' });
const bare = told('completed', {});

const settleSeconds = (...sights: Sight[]) =>
  see(freshState(), ...sights.map(([seconds, raw]): Sight => [seconds * second, raw])).outcome?.settleSeconds;

it.each<[string, number | null, ...Sight[]]>([
  [
    "from the anchor's time of the payment to its time of the payout",
    90,
    [0, {}],
    [100, paid(70)],
    [200, done(160)],
  ],
  [
    'from the first sight of the funds where it names no time',
    60,
    [0, {}],
    [100, paid(null)],
    [200, done(160)],
  ],
  [
    'no shorter for a payment dated late and a payout dated early',
    80,
    [0, {}],
    [100, paid(900)],
    [180, paid(null)],
    [200, done(1)],
  ],
  [
    'no longer for a payment dated early and a payout dated late',
    150,
    [50, {}],
    [100, paid(-900)],
    [200, done(9_000)],
  ],
  ['half of the time in which both happened', 20, [0, {}], [180, {}], [300, done(220)]],
  ['the same, of a minute', 30, [0, {}], [160, {}], [300, done(220)]],
  ['unknown, where that is longer than a minute', null, [0, {}], [159, {}], [300, done(220)]],
  [
    'until cash is ready, however long it waits',
    50,
    [0, {}],
    [100, paid(null)],
    [200, ready(150)],
    [90_000, ready(150)],
    [100_000, done(null)],
  ],
  [
    'until the later readiness where the first is withdrawn',
    400,
    [0, {}],
    [100, paid(null)],
    [110, ready(null)],
    [400, paid(null)],
    [500, ready(null)],
    [600, done(null)],
  ],
  [
    'until the completion that names the payout',
    400,
    [0, {}],
    [100, paid(null)],
    [110, bare(null)],
    [400, paid(null)],
    [500, done(null)],
  ],
])('the settle time is %s', (_what, expected, ...sights) => {
  expect(settleSeconds(...sights)).toBe(expected);
});

it('the settle time is whole, not negative, and at most what we observed, whatever the anchor dates', () => {
  const date = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(date, date, date, (paidAt, readyAt, doneAt) => {
      const value = settleSeconds([0, {}], [100, paid(paidAt)], [200, ready(readyAt)], [300, done(doneAt)]);
      expect(Number.isInteger(value) && (value ?? -1) >= 0 && (value ?? 999) <= 300).toBe(true);
    }),
  );
});
