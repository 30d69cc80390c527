import { describe, expect, it } from '@jest/globals';
import {
  handedOver,
  ownerElsewhere,
  takenOver,
  yieldsToClaimant,
} from '../../../server/features/intents/holder/ownership.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { nextLookMs } from '../../../server/features/intents/polls/next-look.rules.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  account,
  at,
  day,
  freshState,
  limits,
  minute,
  outcome,
  see,
  startMs,
} from '../../fixtures/intents/intent-states.js';
import { claimantIntent, contestedId, holderIntent, payer } from '../../fixtures/intents/waiting-intents.js';

const muxedPayer = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
const now = new Date(startMs);
const kes = { ...freshState().corridorTerms, buyAsset: 'iso4217:KES' };
const holder = holderIntent(startMs);
const claimant = claimantIntent(startMs);

describe('the sender of a transaction', () => {
  it('is the one named last up to the first observation of funds', () => {
    expect(see(freshState(), [0, {}]).told?.from).toBeNull();
    const named = see(freshState(), [0, { from: account }], [minute, { from: payer }]);
    expect(named.told?.from).toBe(payer);
    expect(see(named, [2 * minute, {}]).told?.from).toBe(payer);
    const funded = see(named, [2 * minute, { ...paid, from: muxedPayer }]);
    expect(see(funded, [3 * minute, { ...paid, from: account }]).told?.from).toBe(payer);
    const unnamed = see(freshState(), [0, {}], [minute, paid], [2 * minute, { ...paid, from: payer }]);
    expect(unnamed.told?.from).toBeNull();
  });
});

describe('whether a transaction has to pass', () => {
  it('is so while its intent is pending and another account is named', () => {
    expect(ownerElsewhere(holder, payer)).toBe(payer);
    expect(ownerElsewhere(holder, account)).toBeNull();
    expect(ownerElsewhere(holder, null)).toBeNull();
    expect(ownerElsewhere(claimant, account)).toBeNull();
    for (const status of ['settled', 'failed', 'expired'] as const) {
      expect(ownerElsewhere({ ...holder, status }, payer)).toBeNull();
    }
  });
});

describe('a transaction that passes', () => {
  it('keeps what was observed of it since the claimant presented it', () => {
    const taken = takenOver(claimant, holder, now);
    expect(taken).toMatchObject({
      transactionId: contestedId,
      attachedAt: claimant.claimedAt,
      observations: holder.observations,
      problem: null,
      claimedAt: null,
      due: now,
    });
    expect(taken.claimedId).toBeUndefined();
  });

  it('does not count the observation without funds that came before the claim', () => {
    const taken = takenOver({ ...claimant, claimedAt: now }, holder, now);
    expect(taken.observations).toEqual({ ...holder.observations, unfundedAtMs: null });
    const state = freshState({ observations: taken.observations ?? holder.observations });
    expect(see(state, [minute, paid]).unscoredReason).toBe('seen_after_payment');
    expect(see(state, [minute, {}], [2 * minute, paid]).unscoredReason).toBeNull();
  });

  it('counts where it was seen unpaid since it was presented, also if the funds came before it passed', () => {
    const observations = { ...holder.observations, fundedAtMs: startMs };
    const reasonOf = (claimedAt: Date | null) =>
      takenOver({ ...claimant, claimedAt }, { ...holder, observations }, now).unscoredReason;
    expect(reasonOf(claimant.claimedAt)).toBeNull();
    expect(reasonOf(now)).toBe('seen_after_payment');
  });

  it('is judged by the terms of the intent that it passes to', () => {
    const seen = see({ ...freshState(), corridorTerms: { ...kes } }, [
      minute,
      { amount_out_asset: 'iso4217:NGN' },
    ]);
    expect([seen.unscoredReason, seen.problem]).toEqual(['asset_mismatch', 'other_asset']);
    const taken = takenOver({ ...claimant, account }, seen, now);
    expect([taken.unscoredReason, taken.problem]).toEqual([null, null]);
    const foreign = takenOver({ ...claimant, account, corridorTerms: kes }, seen, now);
    expect([foreign.unscoredReason, foreign.problem]).toEqual(['asset_mismatch', 'other_asset']);
  });

  it('leaves the holder as if it had only claimed it', () => {
    const left = handedOver({ ...holder, unscoredReason: 'sender_mismatch' });
    expect(left).toMatchObject({
      claimedId: contestedId,
      claimedAt: holder.attachedAt,
      attachedAt: null,
      unscoredReason: null,
      problem: 'passed_to_another',
    });
    expect(left.observations?.firstAtMs).toBeNull();
    expect(left.transactionId).toBeUndefined();
  });
});

describe('whether the holder yields to an intent that presents the transaction later', () => {
  const started = (startedAfterMs: number | null, patch: Partial<Intent> = {}) => {
    const raw = startedAfterMs === null ? {} : { started_at: at(startedAfterMs) };
    return { ...see(freshState(), [2 * minute, raw]), ...patch };
  };
  const callbacks = { signedAt: 1, digests: [] };
  const other = { account: payer, signed: false };
  it.each<[string, Intent, typeof other, boolean]>([
    ['it was seen, with no word of its start', started(null), other, false],
    ['it began a minute after it was attached', started(minute), other, false],
    ['it began later than that', started(minute + 1), other, true],
    ['it is said to begin long after it was seen', started(9 * day), other, true],
    ['the anchor did not know it at first', freshState({ unknownPolls: 1 }), other, true],
    ['a callback came for the holder', freshState({ unknownPolls: 1, callbacks }), other, false],
    [
      'the record names the holder',
      see(freshState({ unknownPolls: 1 }), [0, { from: account }]),
      other,
      false,
    ],
    ['the claimant signed for another account', freshState(), { account: payer, signed: true }, false],
    ['the claimant signed for its account', freshState(), { account, signed: true }, true],
    ['both signed', freshState({ signed: true }), { account, signed: true }, false],
    [
      'only the holder signed',
      freshState({ signed: true, unknownPolls: 1 }),
      { account, signed: false },
      false,
    ],
    ['it has an outcome', { ...freshState({ unknownPolls: 1 }), status: 'settled' }, other, false],
  ])('where %s', (_, held, presenting, expected) => {
    expect(yieldsToClaimant(held, presenting)).toBe(expected);
  });
});

describe('an intent that only claims a transaction', () => {
  const claiming = freshState({ attachedAt: null, claimedId: 'tx1' });

  it('is looked at and expires a day after its deadline', () => {
    expect(nextLookMs(claiming, startMs, false)).toBe(startMs + 2 * day);
    const ending = (ms: number) => outcome(transition(claiming, null, startMs + ms, limits));
    expect(ending(2 * day - 1)).toBe('pending');
    expect(ending(2 * day)).toBe('expired no_transaction');
  });
});
