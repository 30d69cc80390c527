import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { noFaults } from '../../../scripts/simulated-ledger/faults.js';
import type { SimulatedPayment, SimulatedTransaction } from '../../../scripts/simulated-ledger/payments.js';
import { muxed, openLedger, someAccount } from '../../fixtures/ledger/ledger-fixture.js';

const [payer, anchor, other] = [someAccount('payer'), someAccount('anchor'), someAccount('other')] as const;
const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const day = 86_400_000;
const [byRpc, byHorizon, byBoth] = [{ rpc: true }, { horizon: true }, { rpc: true, horizon: true }] as const;
const everySource = [byRpc, byHorizon, byBoth];
const ledger = await openLedger();
afterAll(() => ledger?.close());
beforeEach(() => ledger.simulated.setFaults({ rpc: noFaults, horizon: noFaults }));

/** Makes a payment, lets the ledger close, and returns both hashes. */
function pay(of: Partial<SimulatedTransaction> = {}) {
  const made = ledger.simulated.pay({ source: payer, payments: [{ to: anchor, amount: '100' }], ...of });
  ledger.pass(2_000);
  return made;
}
const paid = (of: Partial<SimulatedTransaction> = {}) => pay(of).hash;
const hash64 = '0123456789abcdef'.repeat(4);
const recently = () => ledger.now() - 60_000;
const find = (sources: (typeof everySource)[number], hash: string, sinceMs = recently()) =>
  ledger.asking(sources).find(hash, sinceMs);
const to = (amount: string, more: Partial<SimulatedPayment> = {}): { payments: SimulatedPayment[] } => ({
  payments: [{ to: anchor, amount, ...more }],
});

const shapes: [string, Partial<SimulatedTransaction>][] = [
  ['a payment with a memo of digits', { memo: { type: 'id', value: '18446744073709551615' } }],
  ['a payment with a text of other scripts', { memo: { type: 'text', value: 'naïve ₦' } }],
  ['a payment with a hash', { memo: { type: 'hash', value: hash64 } }],
  ['a payment with a return hash', { memo: { type: 'return', value: hash64 } }],
  ['a payment of native units', to('0.0000001', { asset: 'stellar:native' })],
  ['a payment to a muxed account', to('100', { to: muxed(anchor, '9007199254740993') })],
  ['a payment from a muxed account', { source: muxed(payer, '7') }],
  ['a path payment that fixes what arrives', to('99.5', { kind: 'path_payment_strict_receive' })],
  ['a path payment that fixes what is sent', to('99.5', { kind: 'path_payment_strict_send' })],
  [
    'several operations with sources of their own',
    {
      payments: [
        { to: other, amount: '1' },
        { from: other, to: anchor, amount: '2' },
      ],
    },
  ],
  ['a fee bump', { feeSource: other, memo: { type: 'id', value: '5' } }],
];

describe('a transaction that both sources have', () => {
  it.each(shapes)('is the same by RPC and by Horizon: %s', async (_, of) => {
    const hash = paid(of);
    const [rpc, horizon] = [await find(byRpc, hash), await find(byHorizon, hash)];
    if (rpc.kind !== 'found' || horizon.kind !== 'found') throw new Error('not found');
    expect(horizon.transaction).toEqual(rpc.transaction);
    expect([rpc.source, horizon.source]).toEqual(['rpc', 'horizon']);
    const { payments = to('100').payments, memo = null } = of;
    expect(rpc.transaction).toMatchObject({ hash, successful: true, source: payer });
    expect(rpc.transaction.memo).toEqual(memo);
    expect(rpc.transaction.payments).toMatchObject(
      payments.map(({ amount, asset = usdc }, place) => ({ amount, asset, position: place + 1 })),
    );
  });

  it('has base accounts, and the ids of muxed ones beside them', async () => {
    const hash = paid({ source: muxed(payer, '7'), ...to('1', { to: muxed(anchor, '8') }) });
    expect(await find(byRpc, hash)).toMatchObject({
      transaction: { payments: [{ from: payer, fromMuxedId: '7', to: anchor, toMuxedId: '8' }] },
    });
  });

  it('delivers nothing where it failed', async () => {
    const hash = paid({ payments: ['1', '900000000'].flatMap((amount) => to(amount).payments) });
    for (const sources of [byRpc, byHorizon])
      expect(await find(sources, hash)).toMatchObject({
        kind: 'found',
        transaction: { successful: false, payments: [] },
      });
  });

  it('is found by both hashes of a fee bump, with the same operation ids', async () => {
    const { hash, innerHash } = pay({ feeSource: other });
    const ids = new Set<string>();
    for (const sources of [byRpc, byHorizon])
      for (const each of [hash, innerHash ?? '']) {
        const found = await find(sources, each);
        if (found.kind !== 'found') throw new Error(found.kind);
        for (const { operationId } of found.transaction.payments) ids.add(operationId);
      }
    expect(ids.size).toBe(1);
  });
});

describe('a transaction that no source has', () => {
  it.each(everySource)('does not exist where the range covers the time, by %j', async (sources) => {
    ledger.pass(2_000);
    expect(await find(sources, hash64)).toMatchObject({ kind: 'not_found' });
    const retainMs = 7 * day;
    ledger.simulated.setFaults({ rpc: { retainMs }, horizon: { retainMs } });
    const before = await find(sources, hash64, ledger.now() - 8 * day);
    expect(before).toMatchObject({ kind: 'unknown', why: 'out_of_range' });
    expect((await find(sources, hash64, ledger.now() - 6 * day)).kind).toBe('not_found');
  });

  it('is found by Horizon where it is too old for RPC', async () => {
    const hash = paid();
    ledger.pass(8 * day);
    ledger.simulated.setFaults({ rpc: { retainMs: 7 * day } });
    const found = await find(byBoth, hash, recently() - 8 * day);
    expect(found).toMatchObject({ kind: 'found', source: 'horizon' });
  });

  it('is unknown where one source says so and the other is away, or its ledgers cannot cover the time', async () => {
    ledger.simulated.setFaults({ horizon: { away: true } });
    expect(await find(byBoth, hash64)).toMatchObject({ kind: 'unknown', why: 'unreachable' });
    // The network is a year old.
    expect(await find(byRpc, hash64, ledger.now() - 400 * day)).toMatchObject({ why: 'out_of_range' });
  });
});

describe('a source with a fault', () => {
  it.each([
    ['is away', { away: true }, 'unreachable'],
    ['answers too late', { delayMs: 600 }, 'unreachable'],
    ['answers HTML', { html: true }, 'unreadable'],
  ])('leaves the transaction unknown where it %s, unless the other one has it', async (_, fault, why) => {
    const hash = paid();
    ledger.simulated.setFaults({ rpc: fault, horizon: fault });
    for (const sources of everySource) {
      const found = await ledger.asking(sources, 300).find(hash, recently());
      expect(found).toMatchObject({ kind: 'unknown', why });
    }
    ledger.simulated.setFaults({ horizon: noFaults });
    const found = await ledger.asking(byBoth, 300).find(hash, recently());
    expect(found).toMatchObject({ kind: 'found', source: 'horizon' });
  });
});
