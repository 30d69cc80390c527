import { describe, expect, it } from '@jest/globals';
import {
  identityFault,
  isAnnouncedAmount,
} from '../../../server/features/intents/record/eligibility.rules.js';
import {
  account,
  at,
  freshState,
  hour,
  minute,
  record,
  see,
  sellAsset,
} from '../../fixtures/intents/intent-states.js';

const intent = freshState();
const fault = (raw: Record<string, unknown>) => identityFault(record(raw), intent);

/** SEP-23's valid muxed account (id 0), and the account it is muxed from. */
const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
const plain = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

describe('whether a transaction can belong to an intent', () => {
  it('passes when the record names only its kind', () => expect(fault({})).toBeNull());

  it.each([
    ['withdrawal', null],
    ['withdrawal-exchange', null],
    ['deposit', 'not_a_withdrawal'],
    ['deposit-exchange', 'not_a_withdrawal'],
    [undefined, 'not_a_withdrawal'],
  ])('gives for kind %s the fault %s', (kind, expected) => expect(fault({ kind })).toBe(expected));

  it('needs the account of the intent as sender, plain or muxed, if the record names a sender', () => {
    expect(fault({ from: account })).toBeNull();
    expect(fault({ from: plain })).toBe('sender_mismatch');
    expect(fault({ from: muxed })).toBe('sender_mismatch');
    expect(identityFault(record({ from: muxed }), { ...intent, account: plain })).toBeNull();
    expect(fault({ from: `M${'!'.repeat(68)}` })).toBe('sender_mismatch');
  });

  it('needs the assets of the corridor, in full or by code, if the record names assets', () => {
    expect(fault({ amount_in_asset: sellAsset, amount_out_asset: 'iso4217:NGN' })).toBeNull();
    expect(fault({ amount_in_asset: 'USDC', amount_out_asset: 'NGN' })).toBeNull();
    expect(fault({ amount_in_asset: sellAsset.replace('USDC', 'EURC') })).toBe('asset_mismatch');
    expect(fault({ amount_in_asset: `${sellAsset.slice(0, -1)}X` })).toBe('asset_mismatch');
    expect(fault({ amount_in_asset: sellAsset.replace('stellar:', ''), amount_out_asset: 'NGN' })).toBe(null);
    expect(fault({ amount_out_asset: 'iso4217:KES' })).toBe('asset_mismatch');
    expect(fault({ amount_out_asset: 'KES' })).toBe('asset_mismatch');
  });

  it('refuses a start more than a minute before the intent', () => {
    expect(fault({ started_at: at(-30_000) })).toBeNull();
    expect(fault({ started_at: at(-2 * minute) })).toBe('started_before_intent');
  });

  it.each([
    ['90', true],
    ['110', true],
    ['89.9999999', false],
    ['110.0000001', false],
    ['0', false],
  ])('compares %s with an announced amount of 100: %s', (amountIn, expected) => {
    expect(isAnnouncedAmount(amountIn, '100')).toBe(expected);
  });
});

describe('whether an outcome is scored', () => {
  const paid = { stellar_transaction_id: 'ab', status: 'pending_anchor', amount_in: '100' };
  const done = { ...paid, status: 'completed', amount_out: '150000' };

  it('scores a withdrawal that was seen before it was paid', () => {
    const state = see(freshState(), [0, {}], [minute, paid], [2 * minute, done]);
    expect(state.unscoredReason).toBeNull();
    expect(state.outcome?.kind).toBe('settled');
  });

  it('does not score a withdrawal that was already paid when first seen', () => {
    const state = see(freshState(), [0, paid], [2 * minute, done]);
    expect(state.outcome?.kind).toBe('settled');
    expect(state.unscoredReason).toBe('seen_after_payment');
  });

  it('does not score an amount other than the announced one', () => {
    const small = { amount_in: '5' };
    const state = see(
      freshState(),
      [0, {}],
      [minute, { ...paid, ...small }],
      [2 * minute, { ...done, ...small }],
    );
    expect(state.unscoredReason).toBe('amount_mismatch');
  });

  it('ignores the amount that the record names before the payment', () => {
    const state = see(freshState(), [0, { amount_in: '5' }], [minute, paid], [2 * minute, done]);
    expect(state.unscoredReason).toBeNull();
  });

  it('does not score a settlement that never names amount_in', () => {
    const unnamed = { amount_in: undefined };
    const state = see(
      freshState(),
      [0, {}],
      [minute, { ...paid, ...unnamed }],
      [2 * minute, { ...done, ...unnamed }],
    );
    expect(state.unscoredReason).toBe('amount_missing');
  });

  it('scores a failure even if the anchor leaves out the amount', () => {
    const error = { ...paid, status: 'error', amount_in: undefined };
    const state = see(freshState(), [0, {}], [minute, error], [26 * hour, error]);
    expect(state.outcome?.reason).toBe('error');
    expect(state.unscoredReason).toBeNull();
  });

  it('keeps its decision once funds were received, whatever the anchor reports later', () => {
    const turned = { ...paid, status: 'error', kind: 'deposit', amount_in: '1', from: plain };
    const state = see(freshState(), [0, {}], [minute, paid], [2 * minute, turned], [27 * hour, turned]);
    expect(state.outcome?.reason).toBe('error');
    expect(state.unscoredReason).toBeNull();
  });

  it('remembers what earlier records named when a later one leaves it out', () => {
    const bare = (raw: Record<string, unknown>) => ({ ...raw, kind: undefined });
    const good = see(freshState(), [0, {}], [minute, bare(paid)], [2 * minute, bare(done)]);
    expect(good.unscoredReason).toBeNull();
    const named: [Record<string, unknown>, string][] = [
      [{ kind: 'deposit' }, 'not_a_withdrawal'],
      [{ from: plain }, 'sender_mismatch'],
      [{ amount_in_asset: 'stellar:native' }, 'asset_mismatch'],
      [{ started_at: at(-hour) }, 'started_before_intent'],
    ];
    for (const [raw, reason] of named) {
      const state = see(freshState(), [0, raw], [minute, bare(paid)], [2 * minute, bare(done)]);
      expect(state.unscoredReason).toBe(reason);
    }
  });

  it('does not score a transaction that never names its kind', () => {
    const state = see(freshState(), [0, { kind: undefined }], [minute, { ...paid, kind: undefined }]);
    expect(state.unscoredReason).toBe('not_a_withdrawal');
  });

  it('uses the last record before the payment, since a record may be filled in step by step', () => {
    const state = see(
      freshState(),
      [0, { kind: 'deposit' }],
      [minute, {}],
      [2 * minute, paid],
      [3 * minute, done],
    );
    expect(state.unscoredReason).toBeNull();
  });
});
