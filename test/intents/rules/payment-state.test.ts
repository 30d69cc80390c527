import { describe, expect, it } from '@jest/globals';
import {
  type Finding,
  handedAway,
  handedOn,
  isContradicted,
  nextLookUpMs,
  nothingKnown,
  verdictOf,
  withFinding,
  withNamed,
  withRecord,
} from '../../../server/features/intents/payment/payment-state.rules.js';
import { account, day, hour, minute, record, second, startMs } from '../../fixtures/intents/intent-states.js';

const hash = 'a'.repeat(64);
const payable = { withdraw_anchor_account: account, withdraw_memo: '7', withdraw_memo_type: 'id' };
const seen = withRecord(nothingKnown, record(payable), startMs);
const told = withRecord(seen, record({ stellar_transaction_id: hash }), startMs + second);
const problem = (name: string, contradicts = false) =>
  ({ kind: 'problem', problem: name, contradicts }) as Finding;

/** The state after so many look-ups that found no such transaction. */
function missed(state: typeof told, times: number, by: 'anchor' | 'wallet' = 'anchor') {
  return Array.from({ length: times }).reduce<typeof told>(
    (missing) => withFinding(missing, by, problem('not_found'), startMs),
    state,
  );
}

describe('where to pay', () => {
  it('keeps when each place was named first, and forgets none for those that are named later', () => {
    const again = withRecord(seen, record(payable), startMs + hour);
    expect(again.instructions).toEqual([{ account, memo: '7', memoType: 'id', storedAtMs: startMs }]);
    const changing = Array.from({ length: 100 }, (_, place) => 100 + place).reduce(
      (state, memo) => withRecord(state, record({ ...payable, withdraw_memo: String(memo) }), startMs + memo),
      seen,
    );
    expect(changing.instructions).toHaveLength(64);
    expect(changing.instructions[0]?.memo).toBe('7');
    expect(isContradicted(changing)).toBe(true);
  });

  it('goes with the transaction, and does not stay with the intent that it passes from', () => {
    expect(handedAway(told).instructions).toEqual([]);
    expect(handedOn(told, nothingKnown).instructions).toEqual(seen.instructions);
  });

  it.each([
    ['no account', {}],
    ['a bank account', { withdraw_anchor_account: 'NG12 3456 7890' }],
    ['a memo that is no safe number', { ...payable, withdraw_memo: 2 ** 60 }],
    ['a memo that is too long', { ...payable, withdraw_memo: '7'.repeat(201) }],
  ])('is not known from a record with %s', (_, raw) => {
    expect(withRecord(nothingKnown, record(raw), startMs).instructions).toEqual([]);
  });
});

describe('the verdict on a payment', () => {
  const problems = (name: string, contradicts = false) =>
    withFinding(told, 'anchor', problem(name, contradicts), startMs);
  it.each<[string, typeof told, number, string]>([
    ['nothing named', seen, 0, 'unverifiable'],
    ['named and not looked up yet', told, second, 'waiting'],
    ['named, and looked for in vain for a day', told, day + second, 'unverifiable'],
    ['the ledger away', problems('ledger_unavailable'), minute, 'waiting'],
    ['out of range', problems('out_of_range'), minute, 'waiting'],
    ['not found so far', problems('not_found'), minute, 'waiting'],
    ['not found ten times', missed(told, 10), hour, 'refuted'],
    ['not found nine times', missed(told, 9), hour, 'waiting'],
    ['failed', problems('transaction_failed', true), second, 'refuted'],
    ['without a place recorded before', problems('no_instructions'), 0, 'unverifiable'],
  ])('%s', (_what, state, afterMs, expected) => {
    expect(verdictOf(state, startMs + afterMs)).toBe(expected);
  });

  it('waits for the payment that the wallet names where the one of the record is refuted', () => {
    const refuted = withFinding(told, 'anchor', problem('transaction_failed', true), startMs);
    const named = withNamed(refuted, 'b'.repeat(64), 'wallet', startMs + second);
    expect(verdictOf(named, startMs + minute)).toBe('waiting');
    const both = withFinding(named, 'wallet', problem('other_asset'), startMs);
    expect(verdictOf(both, startMs + minute)).toBe('refuted');
  });

  it('is not refuted by what the wallet names', () => {
    const named = withNamed(seen, hash, 'wallet', startMs);
    const refused = withFinding(named, 'wallet', problem('other_destination', true), startMs);
    expect(verdictOf(refused, startMs + minute)).toBe('unverifiable');
    expect(isContradicted(refused)).toBe(false);
  });
});

describe('a party that names ever new payments', () => {
  const names = (state: typeof told, count: number, afterMs: number, by: 'anchor' | 'wallet' = 'anchor') =>
    withNamed(state, count.toString(16).padStart(64, '0'), by, startMs + second + afterMs);

  it('has a day in all before the intent ends, and thirty until none is looked up any more', () => {
    let state = told;
    for (let count = 1; count * 23 * hour < 31 * day; count += 1) {
      state = names(state, count, count * 23 * hour);
      state = withFinding(state, 'anchor', problem('ledger_unavailable'), startMs + count * 23 * hour);
      if (count > 1) expect(verdictOf(state, startMs + count * 23 * hour + minute)).toBe('unverifiable');
    }
    const fresh = names(state, 1_000, 31 * day);
    expect(verdictOf(fresh, startMs + 31 * day + minute)).toBe('unverifiable');
    expect(nextLookUpMs(fresh, startMs + 31 * day + minute)).toBeNull();
  });

  it('has ten look-ups for each that the anchor names, and ten in all for those that the wallet names', () => {
    const again = (by: 'anchor' | 'wallet') =>
      withNamed(missed(withNamed(seen, hash, by, startMs), 9, by), 'b'.repeat(64), by, startMs + hour);
    expect(again('anchor').named[0]).toMatchObject({ misses: 0, looks: 0 });
    expect(again('wallet').named[0]).toMatchObject({ misses: 9, looks: 9 });
    expect(nextLookUpMs(missed(again('wallet'), 1, 'wallet'), startMs + day)).toBeNull();
    expect(isContradicted(missed(told, 10))).toBe(true);
  });

  it('has each that the wallet names looked up at the pace of those before it', () => {
    let state = withNamed(seen, hash, 'wallet', startMs);
    let nowMs = startMs;
    let looks = 0;
    for (; looks < 100 && nowMs < startMs + day; looks += 1) {
      nowMs = nextLookUpMs(state, nowMs) ?? Number.NaN;
      state = withFinding(state, 'wallet', problem('ledger_unavailable'), nowMs);
      // Two new payments are named between two lookups.
      for (const count of [2 * looks, 2 * looks + 1]) state = names(state, count, nowMs - startMs, 'wallet');
      expect(state.named[0]?.lookedUpAtMs).toBeNull();
    }
    expect(looks).toBeLessThan(40);
  });
});

describe('when a payment is looked up', () => {
  it('is at once, then less and less often, and never without a place to pay', () => {
    expect(nextLookUpMs(withNamed(nothingKnown, hash, 'wallet', startMs), startMs)).toBeNull();
    expect(nextLookUpMs(told, startMs + second)).toBe(startMs + second);
    let state = told;
    const waits: number[] = [];
    for (let looks = 0; looks < 12; looks += 1) {
      state = withFinding(state, 'anchor', problem('ledger_unavailable'), startMs);
      waits.push(((nextLookUpMs(state, startMs) ?? 0) - startMs) / second);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  });

  it('ends with an answer that cannot change, and after thirty days', () => {
    expect(nextLookUpMs(withFinding(told, 'anchor', problem('wrong_memo'), startMs), startMs)).toBeNull();
    expect(nextLookUpMs(told, startMs + 31 * day)).toBeNull();
  });
});
