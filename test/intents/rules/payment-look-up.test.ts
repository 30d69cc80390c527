import { describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import type { FoundPayment } from '../../../server/features/intents/payment/payment.js';
import { payableUntilMs } from '../../../server/features/intents/payment/payment-match.rules.js';
import { nothingKnown, withNamed } from '../../../server/features/intents/payment/payment-state.rules.js';
import { nextLookMs } from '../../../server/features/intents/polls/next-look.rules.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  account,
  at,
  day,
  freshState,
  hour,
  limits,
  minute,
  outcome,
  record,
  second,
  sellAsset,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const byLedger = { ledger: true };
const hash = 'a'.repeat(64);
const payable = { withdraw_anchor_account: account, withdraw_memo: '7', withdraw_memo_type: 'id' };
const completed = { status: 'completed', amount_in: '100', amount_out: '150000' };

const found: FoundPayment = {
  ...{ hash, by: 'wallet', operationId: '1', position: 1, kind: 'payment', ledger: 1, memo: null },
  ...{ from: account, fromMuxedId: null, to: account, toMuxedId: null, asset: sellAsset, amount: '95' },
  ...{ closedAtMs: startMs + hour, lookedUpAtMs: startMs + hour, source: 'rpc' },
};

function seen(state: Intent, afterMs: number, raw: Record<string, unknown>): Intent {
  const observedAtMs = startMs + afterMs;
  return transition(state, { record: record(raw), observedAtMs }, observedAtMs, byLedger);
}

/** The state after the wallet named the payment and the ledger showed it. */
function paid(state: Intent, afterMs: number): Intent {
  const nowMs = startMs + afterMs;
  const named = { ...state, payment: withNamed(state.payment, hash, 'wallet', nowMs) };
  const lookUp = { by: 'wallet', hash, finding: { kind: 'found', payment: found } } as const;
  return transition(named, lookUp, nowMs, byLedger);
}

const waiting = seen(freshState(), minute, payable);

describe('a payment that the ledger shows', () => {
  it('is received when its ledger closed, in the amount that it delivered', () => {
    const state = paid(waiting, 2 * hour);
    expect(state.observations).toMatchObject({ fundedAtMs: found.closedAtMs, paidAtMs: found.closedAtMs });
    expect(state).toMatchObject({ unscoredReason: null, amountIn: '95' });
  });

  it.each([
    ['names another sender', { from: 'GDNDEI3B7PZCHUBXEFDE6G2F2J2DWEXFLDTBCYCGH7O2ECA36A4QTAIO' }],
    ['says that it was paid before it was seen', { status: 'pending_external' }],
    ['names another amount', { status: 'pending_external', amount_in: '1' }],
  ])('counts also where the record %s', (_, raw) => {
    const state = paid(seen(freshState(), minute, { ...payable, ...raw }), 2 * hour);
    expect(state.unscoredReason).toBeNull();
  });

  it('does not count where the transaction was attached only afterwards', () => {
    const late = seen(freshState({ attachedAt: new Date(startMs + 3 * hour) }), 4 * hour, payable);
    expect(paid(late, 5 * hour).unscoredReason).toBe('seen_after_payment');
  });

  it.each([
    ['started_before_intent', { started_at: '2020-01-01T00:00:00Z' }],
    ['not_a_withdrawal', { kind: 'deposit' }],
    ['asset_mismatch', { amount_in_asset: 'iso4217:EUR' }],
  ])('does not count with %s, if the record has said so since before it closed', (fault, raw) => {
    const faulty = { ...payable, ...raw };
    const mended = { ...payable, kind: 'withdrawal', started_at: at(0), amount_in_asset: sellAsset };
    const reasonAfter = (...records: [number, Record<string, unknown>][]) =>
      paid(
        records.reduce((state, [afterMs, told]) => seen(state, afterMs, told), waiting),
        2 * hour,
      ).unscoredReason;
    expect(seen(waiting, hour, faulty).unscoredReason).toBe(fault);
    expect(reasonAfter([hour, faulty])).toBeNull();
    expect(reasonAfter([hour - 1, faulty], [hour + minute, faulty])).toBe(fault);
    expect(reasonAfter([2 * minute, faulty], [3 * minute, mended], [90 * minute, faulty])).toBeNull();
  });

  it('verifies an outcome of which the anchor named no amount, and counts it', () => {
    const settled = seen(waiting, 90 * minute, { status: 'completed', amount_out: '150000' });
    expect(settled.unscoredReason).toBe('amount_missing');
    expect(paid(settled, 2 * hour)).toMatchObject({ unscoredReason: null, amountIn: '95' });
  });

  describe('takes back that the intent expired, and', () => {
    const closed = seen(waiting, 2 * hour, { ...payable, status: 'expired' });
    const unpaid = transition(waiting, null, startMs + 2 * day, byLedger);
    const foundMs = 10 * day;

    it.each([
      ['the record was closed after it', closed, 'expired abandoned'],
      ['nobody had seen it', unpaid, 'expired never_funded'],
    ])('ends nothing before the anchor was asked again, where %s', (_, expired, before) => {
      expect([outcome(expired), expired.outcome?.evidence]).toEqual([before, 'unverified']);
      const open = paid(expired, foundMs);
      expect(outcome(open)).toBe('pending');
      expect(nextLookMs(open, startMs + foundMs, true)).toBe(startMs + foundMs + 15 * second);
      expect(outcome(transition(open, null, startMs + foundMs + hour, byLedger))).toBe('pending');
      const settled = seen(open, foundMs + minute, completed);
      expect([outcome(settled), settled.outcome?.evidence]).toEqual(['settled completed', 'ledger']);
    });

    it('fails when the anchor shows it as still open', () => {
      const open = seen(paid(unpaid, foundMs), foundMs + minute, payable);
      expect([outcome(open), open.outcome?.evidence]).toEqual(['failed overdue', 'ledger']);
    });

    it('fails when the anchor has shown it as closed for a day since', () => {
      const open = seen(paid(closed, foundMs), foundMs + minute, { ...payable, status: 'expired' });
      expect(outcome(open)).toBe('pending');
      const failed = transition(open, null, startMs + foundMs + day, byLedger);
      expect([outcome(failed), failed.outcome?.evidence]).toEqual(['failed error', 'ledger']);
    });

    it.each([
      ['failed error', closed],
      ['failed overdue', unpaid],
    ])('is %s when the anchor has not answered for a day', (end, expired) => {
      const open = paid(expired, foundMs);
      expect(outcome(transition(open, null, startMs + foundMs + day - 1, byLedger))).toBe('pending');
      expect(outcome(transition(open, null, startMs + foundMs + day, byLedger))).toBe(end);
    });
  });

  it('verifies an outcome that was unverified, and keeps its day', () => {
    const settled = seen(waiting, 90 * minute, completed);
    expect(settled.outcome).toMatchObject({
      kind: 'settled',
      evidence: 'unverified',
      settleSeconds: null,
    });
    const verified = paid(settled, 2 * day).outcome;
    expect(verified).toMatchObject({
      kind: 'settled',
      evidence: 'ledger',
      settleSeconds: 1_800,
      timesKnown: true,
    });
    expect(verified?.recordedAt).toEqual(settled.outcome?.recordedAt);
  });
});

describe('a poll that is answered after the payment closed', () => {
  const askedAtMs = found.closedAtMs - 3 * second;
  const storedAtMs = found.closedAtMs + 2 * second;
  const answered = (raw: Record<string, unknown>) =>
    transition(
      waiting,
      { record: record({ ...payable, ...raw }), observedAtMs: askedAtMs },
      storedAtMs,
      byLedger,
    );

  it('does not make the payment late, however early the anchor was asked', () => {
    const { observations } = answered({ status: 'expired' });
    expect(payableUntilMs({ ...waiting, observations })).toBe(storedAtMs);
    expect(observations).toMatchObject({ lastAtMs: askedAtMs, unfundedAtMs: askedAtMs });
  });

  it('does not exclude the outcome for a fault of the withdrawal', () => {
    const faulty = answered({ kind: 'deposit' });
    expect(faulty.unscoredReason).toBe('not_a_withdrawal');
    expect(paid(faulty, 2 * hour).unscoredReason).toBeNull();
  });

  it('names no instructions that the payment has to follow', () => {
    const stored = answered({ withdraw_memo: '8' }).payment.instructions.map((each) => each.storedAtMs);
    expect(stored).toEqual([startMs + minute, storedAtMs]);
  });
});

describe('the time of a payout whose payment the ledger shows', () => {
  const paidAtMs = found.closedAtMs - startMs;
  const quick = { ...completed, completed_at: at(paidAtMs + 5 * second) };
  const ready = {
    ...{ status: 'pending_user_transfer_complete', amount_in: '100', amount_out: '150000' },
    updated_at: at(paidAtMs + 5 * second),
  };
  const settled = (...records: [afterMs: number, raw: Record<string, unknown>][]) =>
    records.reduce((state, [afterMs, raw]) => seen(state, afterMs, raw), paid(waiting, paidAtMs + second));
  const withheld = { kind: 'settled', evidence: 'ledger', settleSeconds: null, timesKnown: false };
  const known = (settleSeconds: number) => ({ ...withheld, settleSeconds, timesKnown: true });

  const silent = paidAtMs + 19 * hour;
  it.each<[string, [number, Record<string, unknown>][]]>([
    ['that it paid out at once', [[silent, quick]]],
    [
      'the same, having shown it open',
      [
        [paidAtMs + 2 * second, { status: 'pending_external' }],
        [silent, quick],
      ],
    ],
    [
      'that cash was ready at once',
      [
        [silent, ready],
        [silent + hour, completed],
      ],
    ],
  ])('is not known where the anchor says after 19 hours: %s', (_, records) => {
    expect(settled(...records).outcome).toMatchObject(withheld);
  });

  it('is not known where only the anchor names the payment, when it has been silent for hours', () => {
    const named = seen(waiting, paidAtMs + 19 * hour, { ...quick, stellar_transaction_id: hash });
    const finding = { kind: 'found', payment: { ...found, by: 'anchor' } } as const;
    const nowMs = startMs + paidAtMs + 19 * hour + minute;
    expect(transition(named, { by: 'anchor', hash, finding }, nowMs, byLedger).outcome).toMatchObject(
      withheld,
    );
  });

  it('is not known where the payout was told of before the payment', () => {
    const told = seen(waiting, paidAtMs - minute, completed);
    expect(paid(told, paidAtMs + second).outcome).toMatchObject(withheld);
  });

  it.each([
    ['a minute ago, by an anchor that told nothing else', 65, 5, known(5)],
    ['a little over a minute ago', 66, 5, withheld],
    ['now, after 19 hours', 19 * 3_600, 19 * 3_600, known(19 * 3_600)],
    ['five minutes ago, after three hours in which it was looked at as often', 10_800, 10_500, known(10_500)],
  ])('of a payout told of as done %s', (_, toldAfterS, doneAfterS, expected) => {
    const raw = { ...completed, completed_at: at(paidAtMs + doneAfterS * second) };
    expect(settled([paidAtMs + toldAfterS * second, raw]).outcome).toMatchObject(expected);
  });

  it('ends when cash was seen ready, however long it waits there', () => {
    expect(settled([paidAtMs + 20 * second, ready], [paidAtMs + 9 * day, completed]).outcome).toMatchObject(
      known(5),
    );
  });
});

describe('a record of which the ledger says', () => {
  const told = seen(waiting, 90 * minute, { ...completed, stellar_transaction_id: hash });

  it('nothing yet stays pending for a day, then ends as unverified', () => {
    expect(outcome(told)).toBe('pending');
    const later = transition(told, null, startMs + day, byLedger);
    expect(outcome(later)).toBe('pending');
    const ended = transition(told, null, startMs + day + 2 * hour, byLedger);
    expect([outcome(ended), ended.outcome?.evidence]).toEqual(['settled completed', 'unverified']);
  });

  it('that the payment is none is not believed: it expires as if nobody had paid', () => {
    const finding = { kind: 'problem', problem: 'transaction_failed', contradicts: true } as const;
    const refuted = transition(told, { by: 'anchor', hash, finding }, startMs + 2 * hour, byLedger);
    expect(outcome(refuted)).toBe('pending');
    expect(outcome(transition(refuted, null, startMs + 2 * day, byLedger))).toBe('expired never_funded');
  });

  it('nothing, because no ledger is asked, settles on the word of the anchor', () => {
    const seenAt = (afterMs: number, raw: Record<string, unknown>) => (state: Intent) =>
      transition(state, { record: record(raw), observedAtMs: startMs + afterMs }, startMs + afterMs, limits);
    const ended = seenAt(hour, { ...completed, stellar_transaction_id: hash })(
      seenAt(minute, payable)(freshState()),
    );
    expect([outcome(ended), ended.outcome?.evidence]).toEqual(['settled completed', 'anchor']);
    expect(ended.payment).toEqual(nothingKnown);
  });
});
