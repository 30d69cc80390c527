import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { instantMs } from '../../../contract/anchor-documents/values.js';
import { provesFunds, readRecord } from '../../../server/features/intents/record/sep-record.rules.js';
import type { Dialect } from '../../../server/features/intents/record/status-table.rules.js';

function read(json: unknown, dialect: Dialect = 'sep24') {
  const found = readRecord(json, dialect);
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
    const wrapped = readRecord({ transaction: sep24 }, 'sep24');
    expect(wrapped).toEqual(readRecord(sep24, 'sep24'));
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
    const text = JSON.stringify(readRecord(sep24, 'sep24'));
    for (const secret of [
      sep24.to,
      sep24.external_extra,
      'Bank of Somewhere',
      '12345678',
      sep24.withdraw_memo,
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('reads SEP-6 records with fee_details, numeric amounts and absent members', () => {
    const found = read(
      {
        transaction: {
          id: 77,
          kind: 'withdrawal-exchange',
          status: 'pending_customer_info_update',
          amount_in: 99.5,
          amount_out: 1e-7,
          fee_details: { total: 5, asset: 'iso4217:NGN', details: [] },
        },
      },
      'sep6',
    );
    expect(found).toMatchObject({ id: '77', amountIn: '99.5', amountOut: '0.0000001', from: null });
    expect(found.status.word).toBe('pending_customer_info_update');
  });

  it.each([
    null,
    7,
    'text',
    [],
    {},
    { transaction: {} },
    { id: 'a' },
    { status: 'completed' },
    { id: 'a', status: 5 },
  ])('refuses %j, which is not a record', (json) =>
    expect(readRecord(json, 'sep24')).toHaveProperty('refused'),
  );

  it('never throws for any JSON, and accepts no unknown status', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (value, amount, status) => {
        readRecord(value, 'sep6');
        const found = readRecord({ ...sep24, amount_in: amount, started_at: value, status }, 'sep24');
        if (!isRefused(found)) expect(found.status.group).toEqual(expect.any(String));
      }),
    );
  });
});

it.each([
  ['2021-04-30T07:42:23', '2021-04-30T07:42:23.000Z'],
  ['2021-04-30T07:42:23.123456', '2021-04-30T07:42:23.123Z'],
  ['2021-04-30 07:42:23Z', '2021-04-30T07:42:23.000Z'],
  ['2021-04-30T07:42:23+01:00', '2021-04-30T06:42:23.000Z'],
  ['2021-04-30T07:42:23-0330', '2021-04-30T11:12:23.000Z'],
  ['2021-04-30T07:42:23.1234567Z', '2021-04-30T07:42:23.123Z'],
  ['yesterday', null],
  ['2021-13-01T00:00:00Z', null],
  ['2021-04-30', null],
  [1619768543000, null],
  [null, null],
])('an instant %j is read as %s, whatever the time zone of this machine', (text, expected) => {
  expect(instantMs(text)).toBe(expected === null ? null : Date.parse(expected));
});

describe('provesFunds', () => {
  const proof = (raw: Record<string, unknown>) => provesFunds(read({ id: 'a', ...raw }));

  it('requires a ledger transaction or a status that only follows a payment', () => {
    expect(proof({ status: 'pending_anchor' })).toBe(false);
    expect(proof({ status: 'pending_anchor', stellar_transaction_id: '' })).toBe(false);
    expect(proof({ status: 'pending_anchor', stellar_transaction_id: 'ab' })).toBe(true);
    expect(proof({ status: 'pending_external' })).toBe(true);
    expect(proof({ status: 'error', refunded: true })).toBe(true);
    expect(proof({ status: 'pending_anchor', refunded: true })).toBe(false);
  });
});
