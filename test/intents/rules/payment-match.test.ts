import { afterAll, describe, expect, it } from '@jest/globals';
import type { SimulatedTransaction } from '../../../scripts/simulated-ledger/payments.js';
import { matchPayment } from '../../../server/features/intents/payment/payment-match.rules.js';
import type { LedgerTransaction } from '../../../server/ledger/ledger-transaction.rules.js';
import { day, second } from '../../fixtures/intents/intent-states.js';
import { openLedger, someAccount } from '../../fixtures/ledger/ledger-fixture.js';
import { anchor, instructions, nearMisses, payer, realShapes, stranger, toPay } from './payment-cases.js';

const ledger = await openLedger();
afterAll(() => ledger?.close());

const paid = { to: anchor, amount: '100' };
const complete = { memo: { type: 'id', value: '186384' }, payments: [paid] } as const;

/** The transaction as the ledger shows it after closing, and the time at which the intent was registered. */
async function made(
  of: Partial<SimulatedTransaction>,
): Promise<{ transaction: LedgerTransaction; startMs: number }> {
  const startMs = ledger.now();
  ledger.pass(5 * second);
  const { hash } = ledger.simulated.pay({ source: payer, payments: [], ...of });
  ledger.pass(5 * second);
  const found = await ledger.asking({ rpc: true }).find(hash, startMs);
  if (found.kind !== 'found') throw new Error(found.kind);
  return { transaction: found.transaction, startMs };
}

describe('a payment of the withdrawal', () => {
  it.each(realShapes)('is accepted: %s', async (_name, of, named) => {
    const { transaction, startMs } = await made(of);
    const match = matchPayment(transaction, toPay(startMs, instructions(startMs, named)));
    expect(match).toMatchObject([{ from: payer, to: anchor }]);
  });

  it('is each of several operations that pay it', async () => {
    const { transaction, startMs } = await made({ ...complete, payments: [paid, paid] });
    const match = matchPayment(transaction, toPay(startMs, instructions(startMs)));
    expect(match).toMatchObject([{ position: 1 }, { position: 2 }]);
  });

  it('may go to any place that a record named before it closed, but not without the memo that one named', async () => {
    const { transaction, startMs } = await made({ payments: [paid] });
    const bare = instructions(startMs, { memo: null, memoType: null });
    const next = instructions(startMs + second, { account: someAccount('the next account of the anchor') });
    expect(matchPayment(transaction, toPay(startMs, bare, next))).toHaveLength(1);
    const named = toPay(startMs, bare, instructions(startMs));
    expect(matchPayment(transaction, named)).toMatchObject({ problem: 'wrong_memo' });
  });
});

describe('a near miss', () => {
  it.each(nearMisses)('is refused: %s (%s)', async (_name, problem, of, named) => {
    const { transaction, startMs } = await made(of);
    const match = matchPayment(transaction, toPay(startMs, instructions(startMs, named)));
    expect(match).toMatchObject({ problem });
  });

  type Times = { createdMs?: number; storedMs?: number; deadlineMs?: number; closedMs?: number };
  it.each<[string, string, Times]>([
    ['in the second before the intent was registered', 'too_early', { createdMs: second }],
    ['in the second of the registration', 'match', { createdMs: second - 1 }],
    ['a day after the deadline', 'match', { deadlineMs: -day }],
    ['later than a day after the deadline', 'too_late', { deadlineMs: -day - 1 }],
    ['in the second before where to pay was stored', 'no_instructions', { storedMs: second }],
    ['in the second in which it was stored', 'match', { storedMs: second - 1 }],
    ['after a record had closed the withdrawal', 'too_late', { closedMs: -1 }],
    ['before a record closed the withdrawal', 'match', { closedMs: second }],
  ])('closed %s: %s', async (_name, expected, { createdMs, storedMs, deadlineMs, closedMs }) => {
    const { transaction, startMs } = await made(complete);
    const at = (ms: number | undefined, otherwise: number) =>
      ms === undefined ? otherwise : transaction.closedAtMs + ms;
    const intent = toPay(at(createdMs, startMs), instructions(at(storedMs, startMs)));
    const closedSinceMs = closedMs === undefined ? null : at(closedMs, 0);
    const match = matchPayment(transaction, {
      ...intent,
      deadline: new Date(at(deadlineMs, intent.deadline.getTime())),
      observations: { ...intent.observations, closedSinceMs },
    });
    expect('problem' in match ? match.problem : 'match').toBe(expected);
  });

  it('names whoever paid this very withdrawal from another account', async () => {
    const { transaction, startMs } = await made({ ...complete, source: stranger });
    const match = matchPayment(transaction, toPay(startMs, instructions(startMs)));
    expect(match).toMatchObject({ problem: 'other_sender', payers: [stranger], contradicts: false });
  });

  it('contradicts the anchor only where no operation pays an account that it ever named', async () => {
    const { transaction, startMs } = await made({ payments: [{ to: stranger, amount: '100' }] });
    const named = instructions(startMs);
    expect(matchPayment(transaction, toPay(startMs, named))).toMatchObject({ contradicts: true });
    const later = toPay(startMs, named, instructions(ledger.now(), { account: stranger }));
    expect(matchPayment(transaction, later)).toMatchObject({ contradicts: false });
  });
});
