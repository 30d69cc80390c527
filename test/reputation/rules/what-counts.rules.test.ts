import { describe, expect, it } from '@jest/globals';
import { countDay } from '../../../server/features/reputation/day-count.rules.js';
import {
  type Evidence,
  type JudgedIntent,
  type Standing,
  standingOf,
  trueEffect,
} from '../../../server/features/reputation/what-counts.rules.js';
import { daysOf } from '../../../server/outcome-days.rules.js';
import { expired, failed, noon, settled, withOutcome } from '../../fixtures/reputation/stored-outcomes.js';

const amiss = { scored: false, unscoredReason: 'amount_mismatch' } as const;
const filled: Standing = { counts: 'filled', uncountedReason: null };
const notFilled: Standing = { counts: 'not_filled', uncountedReason: null };
const no = (uncountedReason: Standing['uncountedReason']): Standing => ({ counts: 'no', uncountedReason });

const notPaidOut = { disputeEffect: 'counts_not_filled' } as const;
const dust = { sellAmount: '9.9999999' };

/** How an outcome counts: with a ledger, and without one, where that differs. */
const table: [string, Partial<JudgedIntent>, byLedger: Standing, byAnchor?: Standing][] = [
  ['settled, found on the ledger', { outcome: settled({ evidence: 'ledger' }) }, filled],
  ['failed, found on the ledger', { outcome: failed({ evidence: 'ledger' }) }, notFilled],
  ["settled, on the anchor's word", { outcome: settled({ evidence: 'anchor' }) }, no('unverified'), filled],
  ["failed, on the anchor's word", { outcome: failed() }, no('unverified'), notFilled],
  [
    'settled, sought on the ledger in vain',
    { outcome: settled({ evidence: 'unverified' }) },
    no('unverified'),
  ],
  ['expired', { outcome: expired() }, no('expired')],
  ['expired, and a verdict says it was not paid out', { outcome: expired(), ...notPaidOut }, notFilled],
  ['settled, and a verdict says it was not paid out', notPaidOut, notFilled],
  [
    'failed, and a verdict says it was paid out',
    { outcome: failed(), disputeEffect: 'counts_filled' },
    filled,
  ],
  ['failed, and taken out', { outcome: failed(), disputeEffect: 'not_counted' }, no('dispute_accepted')],
  ['not to be scored, whatever a verdict says', { ...amiss, ...notPaidOut }, no('amount_mismatch')],
  ['of 9.9999999 units, whatever a verdict says', { ...dust, ...notPaidOut }, no('below_least_amount')],
  ['of 10 units', { sellAmount: '10', outcome: settled({ evidence: 'ledger' }) }, filled],
];

describe('an outcome that is', () => {
  it.each(table)('%s', (_name, changes, byLedger, byAnchor = byLedger) => {
    const intent = withOutcome(changes);
    expect(standingOf(intent, [intent], 'ledger')).toEqual(byLedger);
    expect(standingOf(intent, [intent], 'anchor')).toEqual(byAnchor);
  });
});

describe('of an account-day', () => {
  const at = (second: number, changes: Partial<JudgedIntent> = {}) =>
    withOutcome({
      _id: String(second).padStart(64, '0'),
      outcome: settled({ recordedAt: new Date(noon.getTime() + second * 1_000) }),
      ...changes,
    });
  const countsOf = (all: readonly JudgedIntent[], evidence: Evidence = 'anchor') =>
    all.map((intent) => standingOf(intent, all, evidence).counts).join(' ');

  it('the first three count, whichever order they come in', () => {
    const all = [at(4), at(1), at(3), at(2)];
    expect(countsOf(all)).toBe('no filled filled filled');
    expect(standingOf(at(4), all, 'anchor')).toEqual(no('account_day_full'));
    const sameTime = [...'dbca'].map((_id) => withOutcome({ _id }));
    expect(countsOf(sameTime)).toBe('no filled filled filled');
  });

  it('those that count nowhere take no place, and a verdict that takes one out gives its place to the next', () => {
    const unpaid = { outcome: expired() };
    expect(countsOf([at(1, dust), at(2, unpaid), at(3), at(4), at(5)])).toBe('no no filled filled filled');
    const takenOut = at(1, { disputeEffect: 'not_counted' });
    expect(countsOf([takenOut, at(2), at(3), at(4)])).toBe('no filled filled filled');
  });

  it('a verdict changes nothing for one that has no place, whatever it says', () => {
    const all = [at(1), at(2), at(3), at(4)];
    const effects = all.map((each) => trueEffect(each, 'counts_not_filled', all, 'anchor'));
    expect(effects).toEqual(['counts_not_filled', 'counts_not_filled', 'counts_not_filled', 'nothing']);
    expect(trueEffect(at(4), 'not_counted', all, 'anchor')).toBe('nothing');
    expect(trueEffect({ ...at(1), disputeEffect: 'not_counted' }, 'not_counted', all, 'anchor')).toBe(
      'not_counted',
    );
  });
});

describe('the days that a change has counted anew', () => {
  const dayOf = (instant: string) => settled({ recordedAt: new Date(instant) });

  it('are the UTC days of recording, to the millisecond, once each', () => {
    const before = withOutcome({ outcome: dayOf('2026-11-20T23:59:59.999Z') });
    const after = { ...before, outcome: dayOf('2026-11-21T00:00:00.000Z') };
    expect(daysOf(before, after).map(({ day }) => day)).toEqual(['2026-11-20', '2026-11-21']);
    expect(daysOf(after, after)).toHaveLength(1);
  });

  it('are none for an expiry without a verdict, which anybody can cause', () => {
    expect(daysOf(withOutcome({ outcome: expired() }))).toEqual([]);
    expect(daysOf(withOutcome({ outcome: expired(), disputeEffect: 'counts_not_filled' }))).toHaveLength(1);
  });
});

it('a roll-up takes no shortfall below 0 or above 1', () => {
  const place = { anchorId: 'harbour', corridor: 'usdc-ngn', day: '2026-11-21' };
  const all = [-5, 3e9, 7].map((shortfallPpb, index) =>
    withOutcome({ account: `G${index}`, outcome: settled({ shortfallPpb }) }),
  );
  expect(countDay(place, all, { evidence: 'anchor', knownAccounts: new Set() })).toMatchObject({
    quotedOutcomes: 3,
    shortfallPpb: 1_000_000_007,
  });
});
