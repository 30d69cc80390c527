import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefused, parseJson } from '../../../contract/anchor-documents/json.js';
import { readTransaction } from '../../../contract/anchor-documents/transaction.js';
import { readInstructions } from '../../../contract/offramp/instructions.js';
import { matchPayment } from '../../../server/features/intents/payment/payment-match.rules.js';
import { nothingKnown, withRecord } from '../../../server/features/intents/payment/payment-state.rules.js';
import { readRecord } from '../../../server/features/intents/record/sep-record.rules.js';
import { account, freshState } from '../../fixtures/intents/intent-states.js';
import { someAccount } from '../../fixtures/ledger/ledger-fixture.js';
import { stored } from '../../fixtures/offramp/two-runs.js';

const anchorAccount = someAccount('an anchor');
const sellAsset = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const issuer = sellAsset.slice('stellar:USDC:'.length);
const hash = 'fedcba9876543210'.repeat(4);
const base64 = Buffer.from(hash, 'hex').toString('base64');
const id = '9223372036854775807';

const text = (value: string) => JSON.stringify(value);
const word = (...words: string[]) => fc.constantFrom(...words.map(text));
const absent = fc.constantFrom(undefined, 'null');

const memos = {
  hash: fc.tuple(
    word('hash', 'HASH', 'MEMO_HASH'),
    word(hash, hash.toUpperCase(), base64, base64.replace('=', '')),
  ),
  id: fc.tuple(
    word('id', 'ID', 'Id'),
    fc.constantFrom('"18446744073709551615"', '18446744073709551615', '"018446744073709551615"'),
  ),
  text: fc.tuple(word('text', 'TEXT'), word(' order 7')),
};
const memoValues = { hash, id: '18446744073709551615', text: ' order 7' };

/** Members that nothing reads, whatever is in them. */
const unused = fc.record({
  message: fc.jsonValue(),
  fee_details: fc.jsonValue(),
  status_eta: fc.constantFrom(null, -1, 1e300, 'soon'),
  to: fc.jsonValue(),
  refunded: fc.constantFrom(null, false, 0, 'no'),
});

const written = fc.constantFrom('hash' as const, 'id' as const, 'text' as const).chain((memo) =>
  fc.record({
    memo: fc.constant(memo),
    members: fc.record({
      id: fc.constantFrom(id, text(id)),
      kind: word('withdrawal', 'Withdrawal'),
      status: word('pending_user_transfer_start', 'PENDING_USER_TRANSFER_START'),
      amount_in: amountSpelled('100', '1E+2'),
      amount_out: amountSpelled('152857.72', '1.5285772E+5'),
      amount_in_asset: fc.oneof(
        word(sellAsset, sellAsset.replace('stellar:', ''), 'USDC', 'stellar:USDC'),
        absent,
      ),
      amount_out_asset: word('iso4217:NGN', 'NGN', 'ngn'),
      from: fc.oneof(word(account), absent),
      withdraw_anchor_account: word(anchorAccount),
      completed_at: fc.oneof(absent, word('')),
      refunds: absent,
    }),
    asMemo: memos[memo],
    unused,
    wrapped: fc.boolean(),
    mark: fc.constantFrom('', '\uFEFF'),
  }),
);

describe("an anchor's record", () => {
  it('is read alike by the service and startOfframp, however it is spelled', () => {
    fc.assert(
      fc.property(written, (spelling) => {
        const json = parseJson(toJson(spelling));
        const record = readRecord(json);
        const forWallet = readTransaction(json);
        if (isRefused(record) || isRefused(forWallet)) throw new Error('refused');
        expect(record).toMatchObject({
          id,
          kind: 'withdrawal',
          amountIn: '100',
          amountOut: '152857.72',
          unreadable: [],
        });

        const memo = { type: spelling.memo, value: memoValues[spelling.memo] };
        const instructions = readInstructions(forWallet, {
          withdrawalId: id,
          terms: { ...stored.attached.terms, account, minReceive: '150000' },
          anchor: { ...stored.attached.anchor, assetIssuer: issuer },
        });
        expect(instructions).toEqual({ destination: anchorAccount, amount: '100', memo });

        const intent = freshState({ payment: withRecord(nothingKnown, record, 1_000) });
        const payment = {
          operationId: '1',
          position: 1,
          kind: 'payment' as const,
          from: account,
          fromMuxedId: null,
          to: anchorAccount,
          toMuxedId: null,
          asset: sellAsset,
          amount: '100',
        };
        const match = matchPayment(
          {
            hash,
            successful: true,
            ledger: 1,
            closedAtMs: intent.createdAt.getTime() + 9_000,
            source: account,
            memo,
            payments: [payment],
          },
          intent,
        );
        expect(match).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [{ amount_out: '152,857.72' }, 'amount_out'],
    [{ amount_in: {} }, 'amount_in'],
    [{ withdraw_memo: {} }, 'withdraw_memo'],
    [{ refunds: { amount_refunded: 'all' } }, 'refunds.amount_refunded'],
  ])('tells what is there and cannot be read: %j', (members, unreadable) => {
    const read = readTransaction({ id: 'a', status: 'completed', ...members });
    expect(read).toMatchObject({ unreadable: [unreadable] });
  });

  it.each([
    [null, 'it is no JSON object'],
    [[], 'it is no JSON object'],
    [{ transaction: { status: 'completed' } }, 'transaction.id is no id'],
    [{ id: 1.5, status: 'completed' }, 'transaction.id is no id'],
    [{ id: 'a', status: 5 }, 'transaction.status is no word'],
  ])('is refused with the member: %j', (json, refused) => expect(readTransaction(json)).toEqual({ refused }));
});

function toJson({
  members,
  asMemo: [type, memo],
  unused,
  wrapped,
  mark,
}: typeof written extends fc.Arbitrary<infer T> ? T : never) {
  const all = { ...members, withdraw_memo_type: type, withdraw_memo: memo };
  const known = Object.entries(all).flatMap(([name, json]) =>
    json === undefined ? [] : [`"${name}":${json}`],
  );
  const others = Object.entries(unused).map(([name, value]) => `${text(name)}:${JSON.stringify(value)}`);
  const body = `{${[...others, ...known].join(',')}}`;
  return mark + (wrapped ? `{"transaction":${body}}` : body);
}

/** The spellings of one amount, as the JSON that an anchor sends. */
function amountSpelled(plain: string, exponent: string) {
  return fc
    .constantFrom(plain, exponent, `${plain}${plain.includes('.') ? '' : '.'}${'0'.repeat(20)}`, `0${plain}`)
    .chain((spelling) =>
      spelling.startsWith('0') ? fc.constant(text(spelling)) : fc.constantFrom(text(spelling), spelling),
    );
}
