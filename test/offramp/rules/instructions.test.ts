import { describe, expect, it } from '@jest/globals';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { readTransaction } from '../../../contract/anchor-documents/transaction.js';
import {
  type InstructionFault,
  instructionFaults,
  readInstructions,
  sameInstructions,
} from '../../../contract/offramp/instructions.js';
import { muxed, someAccount } from '../../fixtures/ledger/ledger-fixture.js';

const account = someAccount('a wallet');
const anchorAccount = someAccount('an anchor');
const issuer = someAccount('an issuer');
const expected = {
  withdrawalId: 'w-1',
  terms: {
    corridor: 'usdc-ngn',
    anchorId: 'a',
    account,
    sellAmount: '100',
    minReceive: '150000',
    nonce: 'n',
  },
  anchor: {
    homeDomain: 'a.example',
    signingKey: anchorAccount,
    webAuthEndpoint: 'https://a.example/auth',
    transferServer: 'https://a.example/sep24',
    assetCode: 'USDC',
    assetIssuer: issuer,
    destinationAsset: 'iso4217:NGN',
  },
};
const hash = Buffer.alloc(32, 9).toString('base64');
const hashHex = Buffer.alloc(32, 9).toString('hex');
const record = {
  id: 'w-1',
  kind: 'withdrawal',
  status: 'pending_user_transfer_start',
  amount_in: '100.00',
  amount_in_asset: `stellar:USDC:${issuer}`,
  amount_out: '150000.00',
  amount_out_asset: 'iso4217:NGN',
  from: account,
  withdraw_anchor_account: anchorAccount,
  withdraw_memo: '42',
  withdraw_memo_type: 'id',
};
function read(patch: Record<string, unknown> = {}) {
  const transaction = readTransaction({ ...record, ...patch });
  if (isRefused(transaction)) throw new Error(transaction.refused);
  return readInstructions(transaction, expected);
}

const refused: [string, InstructionFault, Record<string, unknown>][] = [
  ['of another withdrawal', 'other_transaction', { id: 'w-2' }],
  ['of a deposit', 'other_transaction', { kind: 'deposit' }],
  ['that asks for another asset', 'asset', { amount_in_asset: 'stellar:native' }],
  ['that asks for the asset of another issuer', 'asset', { amount_in_asset: `stellar:USDC:${account}` }],
  ['that pays out another currency', 'payout_asset', { amount_out_asset: 'iso4217:KES' }],
  ['without an amount', 'amount', { amount_in: null }],
  ['over nothing', 'amount', { amount_in: '0.00' }],
  ['with a negative amount', 'amount', { amount_in: '-5' }],
  ['with more places than the ledger has', 'amount', { amount_in: '99.00000001' }],
  ['that asks for a stroop more than quoted', 'amount_above_quote', { amount_in: '100.0000001' }],
  ['that asks for ten times the quote', 'amount_above_quote', { amount_in: '1000' }],
  ['that pays out less than the least', 'payout_below_minimum', { amount_out: '149999.99' }],
  ['that pays out a word', 'payout_below_minimum', { amount_out: 'plenty' }],
  ['that expects another sender', 'sender', { from: issuer }],
  ['without an account to pay', 'destination', { withdraw_anchor_account: null }],
  ['that names no Stellar account', 'destination', { withdraw_anchor_account: `${anchorAccount}A` }],
  ['that names the wallet itself', 'destination', { withdraw_anchor_account: account }],
  ['without a memo', 'memo', { withdraw_memo: null }],
  ['with a memo that is no number', 'memo', { withdraw_memo: 'x' }],
  ['with a number beyond 64 bits', 'memo', { withdraw_memo: String(2n ** 64n) }],
  ['with a text of 29 bytes', 'memo', { withdraw_memo_type: 'text', withdraw_memo: 'é'.repeat(15) }],
  ['with a short hash', 'memo', { withdraw_memo_type: 'hash', withdraw_memo: hash.slice(4) }],
  ['with a memo beside a muxed account', 'memo', { withdraw_anchor_account: muxed(anchorAccount, '42') }],
  ['with a memo type that is none', 'memo_type', { withdraw_memo_type: 'return' }],
  ['without a memo type', 'memo_type', { withdraw_memo_type: null }],
];

describe('the record of an anchor', () => {
  it('says how to pay', () => {
    const memo = { type: 'id', value: '42' };
    expect(read()).toEqual({ destination: anchorAccount, amount: '100', memo });
  });

  it('may leave out the assets and the sender, ask for less, and use any kind of memo', () => {
    const old = {
      amount_in_asset: null,
      amount_out_asset: null,
      amount_out: null,
      from: null,
      amount_in: '7',
    };
    expect(read(old)).toMatchObject({ amount: '7' });
    expect(read({ withdraw_memo_type: 'hash', withdraw_memo: hash })).toMatchObject({
      memo: { value: hashHex },
    });
    expect(read({ withdraw_memo_type: 'text', withdraw_memo: 'é'.repeat(14) })).toMatchObject({ memo: {} });
    const to = muxed(anchorAccount, '42');
    expect(read({ withdraw_anchor_account: to, withdraw_memo: null })).toMatchObject({
      destination: to,
      memo: null,
    });
    expect(read({ from: muxed(account, '1') })).toMatchObject({ amount: '100' });
  });

  it.each(refused)('%s is not paid: `%s`', (_name, fault, patch) => {
    expect(read(patch)).toBe(fault);
  });

  it('is tried for every fault there is', () => {
    expect([...new Set(refused.map(([, fault]) => fault))].sort()).toEqual(
      Object.keys(instructionFaults).sort(),
    );
  });

  it('is another where anything but the spelling changed', () => {
    const { destination, memo } = { destination: anchorAccount, memo: { type: 'id', value: '42' } as const };
    const first = { destination, memo, amount: '100' };
    expect(sameInstructions(first, { ...first })).toBe(true);
    expect(sameInstructions(first, { ...first, amount: '99' })).toBe(false);
    expect(sameInstructions(first, { ...first, destination: issuer })).toBe(false);
    expect(sameInstructions(first, { ...first, memo: { type: 'id', value: '43' } })).toBe(false);
    expect(sameInstructions(first, { ...first, memo: { type: 'text', value: '42' } })).toBe(false);
    expect(sameInstructions(first, { ...first, memo: null })).toBe(false);
  });
});
