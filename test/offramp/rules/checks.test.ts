import { describe, expect, it } from '@jest/globals';
import { Operation } from '@stellar/stellar-base';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { readTransaction } from '../../../contract/anchor-documents/transaction.js';
import {
  type InstructionFault,
  instructionFaults,
  readInstructions,
  sameInstructions,
} from '../../../contract/offramp/instructions.js';
import { challengeFault, challengeFaults } from '../../../contract/offramp/sep10.js';
import { muxed, someAccount } from '../../fixtures/ledger/ledger-fixture.js';
import { brokenChallenges, challengeOf, challengeParts as parts } from '../../fixtures/offramp/challenges.js';
import { stored } from '../../fixtures/offramp/two-runs.js';

describe('a SEP-10 challenge', () => {
  const expected = { ...parts, signingKey: parts.server.publicKey() };

  it('is safe to sign as the standard has it, with further data of the server and a younger clock', () => {
    expect(challengeFault(challengeOf(parts).toXDR(), expected)).toBeNull();
    const more = Operation.manageData({ source: parts.server.publicKey(), name: 'more', value: 'x' });
    expect(challengeFault(challengeOf(parts, { others: [more] }).toXDR(), expected)).toBeNull();
    const early = { ...expected, nowMs: parts.nowMs - 299_000 };
    expect(challengeFault(challengeOf(parts).toXDR(), early)).toBeNull();
  });

  it.each(brokenChallenges(parts))('%s is refused as `%s`', (_name, fault, envelope) => {
    expect(challengeFault(envelope, expected)).toBe(fault);
  });

  it('is tried for every fault there is', () => {
    const tried = new Set(brokenChallenges(parts).map(([, fault]) => fault));
    expect([...tried].sort()).toEqual(Object.keys(challengeFaults).sort());
  });
});

const account = someAccount('a wallet');
const anchorAccount = someAccount('an anchor');
const issuer = someAccount('an issuer');
const expected = {
  withdrawalId: 'w-1',
  terms: { ...stored.attached.terms, account, minReceive: '150000' },
  anchor: { ...stored.attached.anchor, assetIssuer: issuer },
};
const hash = Buffer.alloc(32, 9).toString('base64');
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

const memoOf = (type: string, memo: string) => ({ withdraw_memo_type: type, withdraw_memo: memo });

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
  const nothingTold = { amount_in_asset: null, amount_out_asset: null, amount_out: null, from: null };
  const muxedAnchor = muxed(anchorAccount, '42');
  it.each<[string, Record<string, unknown>, object]>([
    ['says how to pay', {}, { destination: anchorAccount, amount: '100', memo: { type: 'id', value: '42' } }],
    ['may leave out assets and sender', { ...nothingTold, amount_in: '7' }, { amount: '7' }],
    ['may name a hash', memoOf('hash', hash), { memo: { value: '09'.repeat(32) } }],
    ['may name a text of 28 bytes', memoOf('text', 'é'.repeat(14)), { memo: {} }],
    [
      'may name a muxed account without a memo',
      { withdraw_anchor_account: muxedAnchor, withdraw_memo: null },
      { destination: muxedAnchor, memo: null },
    ],
    ['may name the sender muxed', { from: muxed(account, '1') }, { amount: '100' }],
  ])('%s', (_name, patch, told) => expect(read(patch)).toMatchObject(told));

  it.each(refused)('%s is not paid: `%s`', (_name, fault, patch) => {
    expect(read(patch)).toBe(fault);
  });

  it('is tried for every fault there is', () => {
    const tried = new Set(refused.map(([, fault]) => fault));
    expect([...tried].sort()).toEqual(Object.keys(instructionFaults).sort());
  });

  it('is another where anything but the spelling changed', () => {
    const first = { destination: anchorAccount, amount: '100', memo: { type: 'id', value: '42' } as const };
    expect(sameInstructions(first, { ...first })).toBe(true);
    for (const other of [
      { amount: '99' },
      { destination: issuer },
      { memo: { type: 'id', value: '43' } as const },
      { memo: { type: 'text', value: '42' } as const },
      { memo: null },
    ])
      expect(sameInstructions(first, { ...first, ...other })).toBe(false);
  });
});
