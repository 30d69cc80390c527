import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, courseOf, freshState, rowsOf, second, see } from '../../fixtures/intents/intent-states.js';

const funds = { stellar_transaction_id: 'ab', amount_in: '100' };
const words: Record<string, Record<string, unknown>> = {
  unpaid: {},
  paid: { ...funds, status: 'pending_anchor' },
  ready: { ...funds, status: 'pending_user_transfer_complete', amount_out: '150000' },
  done: { ...funds, status: 'completed', amount_out: '150000' },
  bare: { ...funds, status: 'completed' },
};

/** Reads `200s done@160`: a record that is seen then, and that the anchor dates 160 s after the attachment. */
function settleSeconds(course: string): number | null | undefined {
  const sights = courseOf(course).map(([afterMs, what]): [number, Record<string, unknown>] => {
    const [word = '', dated] = what.split('@');
    const date = dated === undefined ? {} : { updated_at: at(Number(dated) * second) };
    return [afterMs, { ...words[word], ...date, completed_at: date.updated_at }];
  });
  return see(freshState(), ...sights).outcome?.settleSeconds;
}

const table = `
from the anchor's time of the payment to its time of the payout  | 90   | 0s unpaid, 100s paid@70, 200s done@160
from the first sight of the funds where it names no time         | 60   | 0s unpaid, 100s paid, 200s done@160
no shorter for a late date of the payment and an early one after | 80   | 0s unpaid, 100s paid@900, 180s paid, 200s done@1
no longer for an early date of the payment and a late one after  | 150  | 50s unpaid, 100s paid@-900, 200s done@9000
half of the time in which both happened                          | 20   | 0s unpaid, 180s unpaid, 300s done@220
half of a minute                                                 | 30   | 0s unpaid, 160s unpaid, 300s done@220
unknown where that is longer than a minute                       | null | 0s unpaid, 159s unpaid, 300s done@220
until cash is ready, however long it waits                       | 50   | 0s unpaid, 100s paid, 200s ready@150, 1d ready@150, 2d done
until the later readiness where the first is withdrawn           | 400  | 0s unpaid, 100s paid, 110s ready, 400s paid, 500s ready, 600s done
until the completion that names the payout                       | 400  | 0s unpaid, 100s paid, 110s bare, 400s paid, 500s done
`;

it.each(rowsOf(table))('the settle time is %s: %s', (_what, expected = '', course = '') => {
  expect(String(settleSeconds(course))).toBe(expected);
});

it('the settle time is whole, not negative, and at most what we observed, whatever the anchor dates', () => {
  const date = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(date, date, date, (paid, ready, done) => {
      const value = settleSeconds(`0s unpaid, 100s paid@${paid}, 200s ready@${ready}, 300s done@${done}`);
      expect(Number.isInteger(value) && (value ?? -1) >= 0 && (value ?? 999) <= 300).toBe(true);
    }),
  );
});
