import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SimulatedTransaction } from '../../../scripts/simulated-ledger/payments.js';
import {
  matchPayment,
  payableUntilMs,
} from '../../../server/features/intents/payment/payment-match.rules.js';
import type { LedgerTransaction } from '../../../server/ledger/ledger-transaction.rules.js';
import {
  anchor,
  instructions,
  nearMisses,
  payer,
  realShapes,
  stranger,
  terms,
} from '../../fixtures/intents/payment-cases.js';
import { type OpenLedger, openLedger, someAccount } from '../../fixtures/ledger/ledger-fixture.js';

let ledger: OpenLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger?.close());

/** The transaction as the ledger shows it after closing, and the time at which the intent was registered. */
async function made(
  of: Partial<SimulatedTransaction>,
): Promise<{ transaction: LedgerTransaction; startMs: number }> {
  const startMs = ledger.now();
  ledger.pass(5_000);
  const { hash } = ledger.simulated.pay({ source: payer, payments: [], ...of });
  ledger.pass(5_000);
  const found = await ledger.asking({ rpc: true }).find(hash, startMs);
  if (found.kind !== 'found') throw new Error(found.kind);
  return { transaction: found.transaction, startMs };
}

/** Completes the rows: for a parameter that a row lacks, Jest would pass its callback. */
const whole = ([name, of, named = {}]: (typeof realShapes)[number]) => [name, of, named] as const;
const wholeMiss = ([name, problem, of, named = {}]: (typeof nearMisses)[number]) =>
  [name, problem, of, named] as const;

describe('a payment of the withdrawal', () => {
  it.each(realShapes.map(whole))('is accepted: %s', async (_, of, named) => {
    const { transaction, startMs } = await made(of);
    const match = matchPayment(transaction, terms(startMs), [instructions(startMs, named)]);
    expect(match).toMatchObject({ kind: 'match', payments: [{ from: payer, to: anchor }] });
  });

  it('is each of several operations that pay it', async () => {
    const paid = { to: anchor, amount: '100' };
    const { transaction, startMs } = await made({
      memo: { type: 'id', value: '186384' },
      payments: [paid, paid],
    });
    const match = matchPayment(transaction, terms(startMs), [instructions(startMs)]);
    expect(match).toMatchObject({ kind: 'match', payments: [{ position: 1 }, { position: 2 }] });
  });

  it('may go to any place that a record named before it closed', async () => {
    const { transaction, startMs } = await made({ payments: [{ to: anchor, amount: '100' }] });
    const places = [
      instructions(startMs, { memo: null, memoType: null }),
      instructions(startMs + 1_000, { account: someAccount('the next account of the anchor') }),
    ];
    expect(matchPayment(transaction, terms(startMs), places).kind).toBe('match');
  });
});

describe('a near miss', () => {
  it.each(nearMisses.map(wholeMiss))('is refused: %s (%s)', async (_, problem, of, named) => {
    const { transaction, startMs } = await made(of);
    const match = matchPayment(transaction, terms(startMs), [instructions(startMs, named)]);
    expect(match).toMatchObject({ kind: 'refused', problem });
  });

  const complete = {
    memo: { type: 'id', value: '186384' },
    payments: [{ to: anchor, amount: '100' }],
  } as const;

  it.each([
    ['it closed in the second before the intent was registered', 'too_early', { createdAfterMs: 1_000 }],
    ['it closed more than a day after the deadline', 'too_late', { payableForMs: -1 }],
    ['where to pay was stored in the second after it closed', 'no_instructions', { storedAfterMs: 1_000 }],
  ])(
    'is refused: %s',
    async (_, problem, { createdAfterMs, payableForMs, storedAfterMs }: Record<string, number>) => {
      const { transaction, startMs } = await made(complete);
      const { closedAtMs } = transaction;
      const createdAtMs = createdAfterMs === undefined ? startMs : closedAtMs + createdAfterMs;
      const own = { ...terms(createdAtMs), payableUntilMs: closedAtMs + (payableForMs ?? 0) };
      const storedAtMs = storedAfterMs === undefined ? startMs : closedAtMs + storedAfterMs;
      expect(matchPayment(transaction, own, [instructions(storedAtMs)])).toMatchObject({
        kind: 'refused',
        problem,
      });
    },
  );

  it.each([
    [
      'is refused where a record had closed the withdrawal before',
      -1,
      { problem: 'too_late', contradicts: false },
    ],
    ['counts where a record closed it afterwards', 1_000, { kind: 'match' }],
  ])('%s', async (_, afterMs, expected) => {
    const { transaction, startMs } = await made(complete);
    const { closedAtMs } = transaction;
    const until = payableUntilMs(closedAtMs + 1_000, closedAtMs + afterMs);
    const own = { ...terms(startMs), payableUntilMs: until };
    expect(matchPayment(transaction, own, [instructions(startMs)])).toMatchObject(expected);
  });

  it('may close a day after the deadline at most, where no record closed the withdrawal', () => {
    expect(payableUntilMs(1_000, null)).toBe(1_000 + 86_400_000);
  });

  it('counts as paid in the second in which both happened, which a ledger does not tell apart', async () => {
    const { transaction } = await made(complete);
    const sameSecond = transaction.closedAtMs + 999;
    expect(matchPayment(transaction, terms(sameSecond), [instructions(sameSecond)]).kind).toBe('match');
  });

  it('names whoever paid this very withdrawal from another account', async () => {
    const { transaction, startMs } = await made({ ...complete, source: stranger });
    const match = matchPayment(transaction, terms(startMs), [instructions(startMs)]);
    expect(match).toMatchObject({ problem: 'other_sender', payers: [stranger], contradicts: false });
  });

  it('is refused: without the memo that a later record named for the same account', async () => {
    const { transaction, startMs } = await made({ ...complete, memo: { type: 'id', value: '999' } });
    const places = [instructions(startMs, { memo: null, memoType: null }), instructions(startMs)];
    expect(matchPayment(transaction, terms(startMs), places)).toMatchObject({ problem: 'wrong_memo' });
  });

  it('contradicts the anchor only where no operation pays an account that it ever named', async () => {
    const { transaction, startMs } = await made({ payments: [{ to: stranger, amount: '100' }] });
    expect(matchPayment(transaction, terms(startMs), [instructions(startMs)])).toMatchObject({
      contradicts: true,
    });
    const later = [instructions(startMs), instructions(ledger.now(), { account: stranger })];
    expect(matchPayment(transaction, terms(startMs), later)).toMatchObject({ contradicts: false });
  });
});
