import { describe, expect, it } from '@jest/globals';
import {
  handedOver,
  ownerElsewhere,
  takenOver,
  yieldsToClaimant,
  yieldsToPayer,
} from '../../../server/features/intents/holder/ownership.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { withNamed } from '../../../server/features/intents/payment/payment-state.rules.js';
import { account, at, day, freshState, minute, see, startMs } from '../../fixtures/intents/intent-states.js';
import { claimantIntent, contestedId, holderIntent, payer } from '../../fixtures/intents/waiting-intents.js';
import { instructions } from './payment-cases.js';

const muxedPayer = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
const now = new Date(startMs);
const holder = holderIntent(startMs);
const claimant = claimantIntent(startMs);

it('the sender of a transaction is the one named last up to the first observation of funds', () => {
  expect(see(freshState(), [0, {}]).told?.from).toBeNull();
  const named = see(freshState(), [0, { from: account }], [minute, { from: payer }]);
  expect(named.told?.from).toBe(payer);
  expect(see(named, [2 * minute, {}]).told?.from).toBe(payer);
  const funded = see(named, [2 * minute, { ...paid, from: muxedPayer }]);
  expect(see(funded, [3 * minute, { ...paid, from: account }]).told?.from).toBe(payer);
  const unnamed = see(freshState(), [0, {}], [minute, paid], [2 * minute, { ...paid, from: payer }]);
  expect(unnamed.told?.from).toBeNull();
});

it('whether a transaction has to pass is so while its intent is pending and another account is named', () => {
  expect(ownerElsewhere(holder, payer)).toBe(payer);
  expect(ownerElsewhere(holder, account)).toBeNull();
  expect(ownerElsewhere(holder, null)).toBeNull();
  expect(ownerElsewhere(claimant, account)).toBeNull();
  for (const status of ['settled', 'failed', 'expired'] as const) {
    expect(ownerElsewhere({ ...holder, status }, payer)).toBeNull();
  }
});

describe('a transaction that passes', () => {
  it('keeps what was observed of it since the claimant presented it, and leaves the holder a claim', () => {
    const taken = takenOver(claimant, holder, now);
    const { observations, attachedAt } = holder;
    expect(taken).toMatchObject({ transactionId: contestedId, attachedAt: claimant.claimedAt, observations });
    expect([taken.claimedId, taken.problem, taken.due]).toEqual([undefined, null, now]);
    const left = handedOver({ ...holder, unscoredReason: 'sender_mismatch' });
    const problem = 'passed_to_another';
    expect(left).toMatchObject({ claimedId: contestedId, claimedAt: attachedAt, problem });
    expect(left).toMatchObject({ observations: { firstAtMs: null }, unscoredReason: null });
    expect(left.transactionId).toBeUndefined();
  });

  it('counts only where it was seen unpaid since it was presented', () => {
    const reasonOf = (claimedAt: Date | null, fundedAtMs: number | null) => {
      const held = { ...holder, observations: { ...holder.observations, fundedAtMs } };
      const taken = takenOver({ ...claimant, claimedAt }, held, now);
      return see({ ...freshState(), ...taken, account }, [minute, paid]).unscoredReason;
    };
    expect([reasonOf(claimant.claimedAt, null), reasonOf(claimant.claimedAt, startMs)]).toEqual([null, null]);
    for (const fundedAtMs of [null, startMs]) expect(reasonOf(now, fundedAtMs)).toBe('seen_after_payment');
    const late = takenOver({ ...claimant, account, claimedAt: now }, holder, now);
    expect(see(late, [minute, {}], [2 * minute, paid]).unscoredReason).toBeNull();
  });

  it.each([
    ['iso4217:NGN', null, null],
    ['iso4217:KES', 'asset_mismatch', 'other_asset'],
  ])('is judged by the terms of the intent that it passes to: %s', (buyAsset, fault, problem) => {
    const kes = { ...freshState().corridorTerms, buyAsset: 'iso4217:KES' };
    const seen = see({ ...freshState(), corridorTerms: kes }, [minute, { amount_out_asset: 'iso4217:NGN' }]);
    expect([seen.unscoredReason, seen.problem]).toEqual(['asset_mismatch', 'other_asset']);
    const taken = takenOver({ ...claimant, account, corridorTerms: { ...kes, buyAsset } }, seen, now);
    expect([taken.unscoredReason, taken.problem]).toEqual([fault, problem]);
  });

  it('passes on no more where it came by the ledger, and is looked up when its payments may be', () => {
    const payable = { ...holder.payment, instructions: [instructions(startMs)] };
    const payment = withNamed(payable, 'a'.repeat(64), 'anchor', startMs);
    const stateOf = (of: Intent) => [of.lookUpDue, ownerElsewhere(of, account), yieldsToPayer(of)];
    const taken = takenOver(claimant, { ...holder, payment }, now, true);
    expect(stateOf(taken)).toEqual([now, null, false]);
    expect(yieldsToClaimant({ ...taken, unknownPolls: 1 }, { account, signed: false })).toBe(false);
    const back = takenOver(handedOver(taken), holder, now);
    expect(stateOf(back)).toEqual([undefined, account, true]);
  });
});

describe('whether the holder yields to an intent that presents the transaction later', () => {
  const started = (startedAfterMs: number | null, patch: Partial<Intent> = {}) => {
    const raw = startedAfterMs === null ? {} : { started_at: at(startedAfterMs) };
    return { ...see(freshState(), [2 * minute, raw]), ...patch };
  };
  const callbacks = { signedAt: 1, digests: [] };
  const other = { account: payer, signed: false };
  const guessed = freshState({ unknownPolls: 1 });
  it.each<[string, Intent, typeof other, boolean]>([
    ['it was seen, with no word of its start', started(null), other, false],
    ['it began a minute after it was attached', started(minute), other, false],
    ['it began later than that', started(minute + 1), other, true],
    ['it is said to begin long after it was seen', started(9 * day), other, true],
    ['the anchor did not know it at first', guessed, other, true],
    ['a callback came for the holder', { ...guessed, callbacks }, other, false],
    ['the record names the holder', see(guessed, [0, { from: account }]), other, false],
    ['the claimant signed for another account', freshState(), { account: payer, signed: true }, false],
    ['the claimant signed for its account', freshState(), { account, signed: true }, true],
    ['both signed', freshState({ signed: true }), { account, signed: true }, false],
    ['only the holder signed', { ...guessed, signed: true }, { account, signed: false }, false],
    ['it has an outcome', { ...guessed, status: 'settled' }, other, false],
  ])('where %s', (_, held, presenting, expected) => {
    expect(yieldsToClaimant(held, presenting)).toBe(expected);
  });
});
