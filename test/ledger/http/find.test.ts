import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { noFaults } from '../../../scripts/simulated-ledger/faults.js';
import type { SimulatedTransaction } from '../../../scripts/simulated-ledger/payments.js';
import { muxed, type OpenLedger, openLedger, someAccount } from '../../fixtures/ledger/ledger-fixture.js';

const payer = someAccount('payer');
const anchor = someAccount('anchor');
const other = someAccount('other');
const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const day = 86_400_000;

let ledger: OpenLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger?.close());
beforeEach(() => ledger.simulated.setFaults({ rpc: noFaults, horizon: noFaults }));

/** Makes a payment, lets the ledger close, and returns the hash. */
function paid(of: Partial<SimulatedTransaction> = {}): string {
  const { hash } = ledger.simulated.pay({ source: payer, payments: [{ to: anchor, amount: '100' }], ...of });
  ledger.pass(2_000);
  return hash;
}

const hash64 = '0123456789abcdef'.repeat(4);
const recently = () => ledger.now() - 60_000;

const shapes: [string, Partial<SimulatedTransaction>, object][] = [
  ['a payment with a memo of digits', { memo: { type: 'id', value: '18446744073709551615' } }, {}],
  ['a payment with a text of other scripts', { memo: { type: 'text', value: 'naïve ₦' } }, {}],
  [
    'a payment with a hash',
    { memo: { type: 'hash', value: hash64 } },
    { memo: { type: 'hash', value: hash64 } },
  ],
  ['a payment with a return hash', { memo: { type: 'return', value: hash64 } }, {}],
  [
    'a payment of native units',
    { payments: [{ to: anchor, amount: '0.0000001', asset: 'stellar:native' }] },
    {},
  ],
  [
    'a payment to a muxed account',
    { payments: [{ to: muxed(anchor, '9007199254740993'), amount: '100' }] },
    {},
  ],
  ['a payment from a muxed account', { source: muxed(payer, '7') }, {}],
  [
    'a path payment that fixes what arrives',
    { payments: [{ to: anchor, amount: '99.5', kind: 'path_payment_strict_receive' }] },
    {},
  ],
  [
    'a path payment that fixes what is sent',
    { payments: [{ to: anchor, amount: '99.5', kind: 'path_payment_strict_send' }] },
    {},
  ],
  [
    'several operations with sources of their own',
    {
      payments: [
        { to: other, amount: '1' },
        { from: other, to: anchor, amount: '2' },
      ],
    },
    {},
  ],
  ['a fee bump', { feeSource: other, memo: { type: 'id', value: '5' } }, {}],
];

describe('a transaction that both sources have', () => {
  it.each(shapes)('is the same by RPC and by Horizon: %s', async (_, of, expected) => {
    const hash = paid(of);
    const byRpc = await ledger.asking({ rpc: true }).find(hash, recently());
    const byHorizon = await ledger.asking({ horizon: true }).find(hash, recently());
    if (byRpc.kind !== 'found' || byHorizon.kind !== 'found') throw new Error('not found');
    expect(byHorizon.transaction).toEqual(byRpc.transaction);
    expect([byRpc.source, byHorizon.source]).toEqual(['rpc', 'horizon']);
    const payments = of.payments ?? [{ to: anchor, amount: '100' }];
    expect(byRpc.transaction).toMatchObject({ hash, successful: true, source: payer, ...expected });
    expect(byRpc.transaction.memo).toEqual(of.memo ?? null);
    expect(byRpc.transaction.payments).toMatchObject(
      payments.map(({ amount, asset = usdc }, place) => ({ amount, asset, position: place + 1 })),
    );
  });

  it('has base accounts, and the ids of muxed ones beside them', async () => {
    const hash = paid({ source: muxed(payer, '7'), payments: [{ to: muxed(anchor, '8'), amount: '1' }] });
    const found = await ledger.asking({ rpc: true }).find(hash, recently());
    expect(found).toMatchObject({
      transaction: { payments: [{ from: payer, fromMuxedId: '7', to: anchor, toMuxedId: '8' }] },
    });
  });

  it('delivers nothing where it failed', async () => {
    const hash = paid({
      payments: [
        { to: anchor, amount: '1' },
        { to: anchor, amount: '900000000' },
      ],
    });
    for (const sources of [{ rpc: true }, { horizon: true }]) {
      const found = await ledger.asking(sources).find(hash, recently());
      expect(found).toMatchObject({ kind: 'found', transaction: { successful: false, payments: [] } });
    }
  });

  it('is found by both hashes of a fee bump, with the same operation ids', async () => {
    const { hash, innerHash } = ledger.simulated.pay({
      source: payer,
      payments: [{ to: anchor, amount: '3' }],
      feeSource: other,
    });
    ledger.pass(2_000);
    const ids = new Set<string>();
    for (const sources of [{ rpc: true }, { horizon: true }]) {
      for (const each of [hash, innerHash ?? '']) {
        const found = await ledger.asking(sources).find(each, recently());
        if (found.kind !== 'found') throw new Error(found.kind);
        for (const { operationId } of found.transaction.payments) ids.add(operationId);
      }
    }
    expect(ids.size).toBe(1);
  });
});

describe('a transaction that no source has', () => {
  it('does not exist where the range covers the time, by either source and by both', async () => {
    ledger.pass(2_000);
    for (const sources of [{ rpc: true }, { horizon: true }, { rpc: true, horizon: true }]) {
      expect(await ledger.asking(sources).find(hash64, recently())).toMatchObject({ kind: 'not_found' });
    }
  });

  it('is unknown where the range does not reach so far back', async () => {
    const retainMs = 7 * day;
    ledger.simulated.setFaults({ rpc: { retainMs }, horizon: { retainMs } });
    for (const sources of [{ rpc: true }, { horizon: true }, { rpc: true, horizon: true }]) {
      const answer = await ledger.asking(sources).find(hash64, ledger.now() - 8 * day);
      expect(answer).toMatchObject({ kind: 'unknown', why: 'out_of_range' });
      expect((await ledger.asking(sources).find(hash64, ledger.now() - 6 * day)).kind).toBe('not_found');
    }
  });

  it('is found by Horizon where it is too old for RPC', async () => {
    const hash = paid();
    ledger.pass(8 * day);
    ledger.simulated.setFaults({ rpc: { retainMs: 7 * day } });
    const both = ledger.asking({ rpc: true, horizon: true });
    expect(await both.find(hash, recently() - 8 * day)).toMatchObject({ kind: 'found', source: 'horizon' });
  });

  it('is unknown where one source says so and the other is away', async () => {
    ledger.simulated.setFaults({ horizon: { away: true } });
    const both = ledger.asking({ rpc: true, horizon: true });
    expect(await both.find(hash64, recently())).toMatchObject({ kind: 'unknown', why: 'unreachable' });
  });
});

describe('a source with a fault', () => {
  it.each([
    ['is away', { away: true }, 'unreachable'],
    ['answers too late', { delayMs: 600 }, 'unreachable'],
    ['answers HTML', { html: true }, 'unreadable'],
  ])('leaves the transaction unknown where it %s', async (_, fault, why) => {
    const hash = paid();
    ledger.simulated.setFaults({ rpc: fault, horizon: fault });
    for (const sources of [{ rpc: true }, { horizon: true }, { rpc: true, horizon: true }]) {
      expect(await ledger.asking(sources, 300).find(hash, recently())).toMatchObject({
        kind: 'unknown',
        why,
      });
    }
  });

  it('does not keep the other source from being asked', async () => {
    const hash = paid();
    ledger.simulated.setFaults({ rpc: { away: true } });
    const both = ledger.asking({ rpc: true, horizon: true });
    expect(await both.find(hash, recently())).toMatchObject({ kind: 'found', source: 'horizon' });
  });

  it('is not believed to lack a transaction where the ledgers it names cannot cover the time', async () => {
    const rpc = ledger.asking({ rpc: true });
    // The network is a year old, so no range covers the time before.
    expect(await rpc.find(hash64, ledger.now() - 400 * day)).toMatchObject({ why: 'out_of_range' });
  });
});
