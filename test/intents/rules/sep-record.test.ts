import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import {
  accountOf,
  provesFunds,
  readRecord,
} from '../../../server/features/intents/record/sep-record.rules.js';

function read(json: unknown) {
  const found = readRecord(json);
  if (isRefused(found)) throw new Error(found.refused);
  return found;
}

const sep24 = {
  id: '82fhs729f63dh0v4',
  kind: 'withdrawal',
  status: 'completed',
  amount_in: '510',
  amount_in_asset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  amount_out: '490',
  amount_out_asset: 'iso4217:NGN',
  fee_details: { total: '5', asset: 'iso4217:NGN', breakdown: [{ name: 'fee', amount: '5' }] },
  started_at: '2017-03-20T17:00:02Z',
  completed_at: '2017-03-20T17:09:58Z',
  updated_at: '2017-03-20T17:09:58Z',
  stellar_transaction_id: '17a670bc424ff5ce3b386dbfaae9990b66a2a37b4fbe51547e8794962a3f9e6a',
  external_transaction_id: '1941491',
  from: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
  to: 'GB29NWBK020100005509',
  external_extra: '021000021',
  external_extra_text: 'Bank of Somewhere',
  message: 'paid to account 12345678',
  withdraw_memo: '186384',
};

describe('readRecord', () => {
  it('reads a SEP-24 record, wrapped or bare', () => {
    const wrapped = readRecord({ transaction: sep24 });
    expect(wrapped).toEqual(readRecord(sep24));
    expect(wrapped).toEqual({
      id: '82fhs729f63dh0v4',
      kind: 'withdrawal',
      status: { word: 'completed', group: 'completed', provesFunds: true },
      from: sep24.from,
      amountIn: '510',
      amountInAsset: sep24.amount_in_asset,
      amountOut: '490',
      amountOutAsset: 'iso4217:NGN',
      startedAtMs: Date.UTC(2017, 2, 20, 17, 0, 2),
      completedAtMs: Date.UTC(2017, 2, 20, 17, 9, 58),
      receivedAtMs: null,
      updatedAtMs: Date.UTC(2017, 2, 20, 17, 9, 58),
      stellarTransaction: sep24.stellar_transaction_id,
      payTo: null,
      refunded: false,
      unreadable: [],
    });
  });

  it('keeps no member that carries bank details', () => {
    const text = JSON.stringify(readRecord(sep24));
    for (const name of ['to', 'external_extra', 'external_extra_text', 'message', 'withdraw_memo'] as const)
      expect(text).not.toContain(sep24[name]);
  });

  it('refuses what is not a record', () => {
    const others = [{}, { transaction: {} }, { id: 'a' }, { status: 'completed' }, { id: 'a', status: 5 }];
    for (const json of [null, 7, 'text', [], ...others]) expect(readRecord(json)).toHaveProperty('refused');
  });

  it('never throws for any JSON, and accepts no unknown status', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (value, amount, status) => {
        readRecord(value);
        const found = readRecord({ ...sep24, amount_in: amount, started_at: value, status });
        if (!isRefused(found)) expect(found.status.group).toEqual(expect.any(String));
      }),
    );
  });
});

it.each([
  [{ status: 'pending_anchor' }, false],
  [{ status: 'pending_anchor', stellar_transaction_id: '' }, false],
  [{ status: 'pending_anchor', stellar_transaction_id: 'ab' }, true],
  [{ status: 'pending_external' }, true],
  [{ status: 'error', refunded: true }, true],
  [{ status: 'pending_anchor', refunded: true }, false],
])('%j proves funds only by a ledger transaction or a status that follows one: %s', (raw, expected) => {
  expect(provesFunds(read({ id: 'a', ...raw }))).toBe(expected);
});

it('a sender is the account itself or the one that a muxed account stands for, and nothing else', () => {
  const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
  const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
  expect([account, muxed].map(accountOf)).toEqual([account, account]);
  for (const other of ['0123456789', 'G', `C${'A'.repeat(55)}`, `M${'!'.repeat(68)}`])
    expect(accountOf(other)).toBeNull();
});
