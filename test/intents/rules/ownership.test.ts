import { describe, expect, it } from '@jest/globals';
import {
  handedOver,
  ownerElsewhere,
  takenOver,
} from '../../../server/features/intents/holder/ownership.rules.js';
import { nextLookMs } from '../../../server/features/intents/polls/next-look.rules.js';
import { accountOf } from '../../../server/features/intents/record/accounts.rules.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  claimantIntent,
  contestedId,
  holderIntent,
  payer,
} from '../../fixtures/intents/contested-transaction.js';
import {
  account,
  day,
  freshState,
  limits,
  minute,
  outcome,
  see,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const muxedPayer = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
const now = new Date(startMs);
const holder = holderIntent(startMs);
const claimant = claimantIntent(startMs);

describe('the sender of a transaction', () => {
  it('is the account itself or the one a muxed account stands for, and nothing else', () => {
    expect(accountOf(payer)).toBe(payer);
    expect(accountOf(muxedPayer)).toBe(payer);
    for (const other of ['0123456789', 'G', `C${'A'.repeat(55)}`, `M${'!'.repeat(68)}`]) {
      expect(accountOf(other)).toBeNull();
    }
  });

  it('is the one named last up to the first observation of funds', () => {
    expect(see(freshState(), [0, {}]).sender).toBeNull();
    const named = see(freshState(), [0, { from: account }], [minute, { from: payer }]);
    expect(named.sender).toBe(payer);
    expect(see(named, [2 * minute, {}]).sender).toBe(payer);
    const funded = see(named, [2 * minute, { ...paid, from: muxedPayer }]);
    expect(see(funded, [3 * minute, { ...paid, from: account }]).sender).toBe(payer);
    const unnamed = see(freshState(), [0, {}], [minute, paid], [2 * minute, { ...paid, from: payer }]);
    expect(unnamed.sender).toBeNull();
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
    const taken = takenOver(claimant, holder, payer, now);
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
    const taken = takenOver({ ...claimant, claimedAt: now }, holder, payer, now);
    expect(taken.observations).toEqual({ ...holder.observations, unfundedAtMs: null });
    const state = freshState({ observations: taken.observations ?? holder.observations });
    expect(see(state, [minute, paid]).unscoredReason).toBe('seen_after_payment');
    expect(see(state, [minute, {}], [2 * minute, paid]).unscoredReason).toBeNull();
  });

  it('is not scored where funds were seen before it passed', () => {
    const observations = { ...holder.observations, fundedAtMs: startMs };
    expect(takenOver(claimant, { ...holder, observations }, payer, now)).toMatchObject({
      unscoredReason: 'seen_after_payment',
    });
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

describe('an intent that only claims a transaction', () => {
  const claiming = freshState({ attachedAt: null, claimedId: 'tx1' });

  it('is looked at and expires a day after its deadline', () => {
    expect(nextLookMs(claiming, startMs, false, limits)).toBe(startMs + 2 * day);
    const ending = (ms: number) => outcome(transition(claiming, null, startMs + ms, limits));
    expect(ending(2 * day - 1)).toBe('pending');
    expect(ending(2 * day)).toBe('expired no_transaction');
  });
});
