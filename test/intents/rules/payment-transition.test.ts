import { describe, expect, it } from '@jest/globals';
import type { FoundPayment } from '../../../server/features/intents/payment.js';
import { nothingKnown, withNamed } from '../../../server/features/intents/payment-state.rules.js';
import { withLookUp } from '../../../server/features/intents/payment-transition.rules.js';
import { type IntentState, transition } from '../../../server/features/intents/transition.rules.js';
import {
  account,
  day,
  freshState,
  hour,
  limits,
  minute,
  outcome,
  record,
  sellAsset,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const byLedger = { ...limits, ledger: true };
const hash = 'a'.repeat(64);
const payable = { withdraw_anchor_account: account, withdraw_memo: '7', withdraw_memo_type: 'id' };
const completed = { status: 'completed', amount_in: '100', amount_out: '150000' };

const found: FoundPayment = {
  ...{ hash, by: 'wallet', operationId: '1', position: 1, kind: 'payment', ledger: 1, memo: null },
  ...{ from: account, fromMuxedId: null, to: account, toMuxedId: null, asset: sellAsset, amount: '95' },
  ...{ closedAtMs: startMs + hour, lookedUpAtMs: startMs + hour, source: 'rpc' },
};

function seen(state: IntentState, afterMs: number, raw: Record<string, unknown>): IntentState {
  const observedAtMs = startMs + afterMs;
  return transition(state, { record: record(raw), observedAtMs }, observedAtMs, byLedger);
}

/** The wallet named the payment, and the ledger shows it. */
function paid(state: IntentState, afterMs: number): IntentState {
  const nowMs = startMs + afterMs;
  const named = { ...state, payment: withNamed(state.payment, hash, 'wallet', nowMs) };
  const lookUp = { by: 'wallet', hash, finding: { kind: 'found', payment: found } } as const;
  return withLookUp(named, lookUp, nowMs, byLedger);
}

const waiting = seen(freshState(), minute, payable);

describe('a payment that the ledger shows', () => {
  it('is received when its ledger closed, in the amount that it delivered', () => {
    const state = paid(waiting, 2 * hour);
    expect(state.observations).toMatchObject({ fundedAtMs: found.closedAtMs, paidAtMs: found.closedAtMs });
    expect(state.judgement).toEqual({ unscoredReason: null, amountIn: '95' });
  });

  it.each([
    ['names another sender', { from: 'GDNDEI3B7PZCHUBXEFDE6G2F2J2DWEXFLDTBCYCGH7O2ECA36A4QTAIO' }],
    ['says that it was paid before it was seen', { status: 'pending_external' }],
    ['names another amount', { status: 'pending_external', amount_in: '1' }],
  ])('counts also where the record %s', (_, raw) => {
    const state = paid(seen(freshState(), minute, { ...payable, ...raw }), 2 * hour);
    expect(state.judgement.unscoredReason).toBeNull();
  });

  it('does not count where the transaction was attached only afterwards', () => {
    const late = seen(freshState({ attachedAtMs: startMs + 3 * hour }), 4 * hour, payable);
    expect(paid(late, 5 * hour).judgement.unscoredReason).toBe('seen_after_payment');
  });

  it('takes back that the intent expired, and it fails when the payout is overdue', () => {
    const expired = seen(waiting, 2 * hour, { ...payable, status: 'expired' });
    expect([outcome(expired), expired.ending?.evidence]).toEqual(['expired abandoned', 'unverified']);
    const late = paid(expired, 2 * day);
    expect([outcome(late), late.ending?.evidence]).toEqual(['failed error', 'ledger']);
  });

  it('verifies an outcome that was unverified, and keeps its day', () => {
    const settled = seen(waiting, 90 * minute, completed);
    expect(settled.ending).toMatchObject({
      status: 'settled',
      evidence: 'unverified',
      settleSeconds: null,
    });
    const verified = paid(settled, 2 * day).ending;
    expect(verified).toMatchObject({
      status: 'settled',
      evidence: 'ledger',
      settleSeconds: 1_800,
      timesKnown: true,
    });
    expect(verified?.recordedAtMs).toBe(settled.ending?.recordedAtMs);
  });
});

describe('a record of which the ledger says', () => {
  const told = seen(waiting, 90 * minute, { ...completed, stellar_transaction_id: hash });

  it('nothing yet ends nothing for a day, and then as unverified', () => {
    expect(outcome(told)).toBe('pending');
    const later = transition(told, null, startMs + day, byLedger);
    expect(outcome(later)).toBe('pending');
    const ended = transition(told, null, startMs + day + 2 * hour, byLedger);
    expect([outcome(ended), ended.ending?.evidence]).toEqual(['settled completed', 'unverified']);
  });

  it('that the payment is none is not believed: it expires as if nobody had paid', () => {
    const finding = { kind: 'problem', problem: 'transaction_failed', contradicts: true } as const;
    const refuted = withLookUp(told, { by: 'anchor', hash, finding }, startMs + 2 * hour, byLedger);
    expect(outcome(refuted)).toBe('pending');
    expect(outcome(transition(refuted, null, startMs + 2 * day, byLedger))).toBe('expired never_funded');
  });

  it('nothing where it is not asked: the word of the anchor stands', () => {
    const seenAt = (afterMs: number, raw: Record<string, unknown>) => (state: IntentState) =>
      transition(state, { record: record(raw), observedAtMs: startMs + afterMs }, startMs + afterMs, limits);
    const ended = seenAt(hour, { ...completed, stellar_transaction_id: hash })(
      seenAt(minute, payable)(freshState()),
    );
    expect([outcome(ended), ended.ending?.evidence]).toEqual(['settled completed', 'anchor']);
    expect(ended.payment).toEqual(nothingKnown);
  });
});
