import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { UnscoredReason } from '../../../contract/schemas/intents.js';
import { fiatAmount, minorUnitsOfAsset } from '../../../server/amounts.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { isAnnouncedAmount } from '../../../server/features/intents/record/eligibility.rules.js';
import { shortfallPpb } from '../../../server/features/intents/transition/settle-time.rules.js';
import { transition } from '../../../server/features/intents/transition/transition.rules.js';
import {
  account,
  at,
  courseOf,
  day,
  freshState,
  hour,
  limits,
  minute,
  outcome,
  record,
  rowsOf,
  second,
  see,
  sellAsset,
  startMs,
} from '../../fixtures/intents/intent-states.js';

const stranger = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
/** SEP-23's valid muxed account (id 0) over the stranger's. */
const muxedStranger = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';

type Raw = Record<string, unknown>;
/** What is seen this long after the intent's transaction was attached; null: only time passes. */
type Sight = [afterMs: number, raw: Raw | null];

const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
const done = { ...paid, status: 'completed', amount_out: '150000' };
const error = { ...paid, status: 'error' };
const sentBack = { ...paid, status: 'refunded' };
const untold = { amount_in: undefined };
/** The records of the table below, by the names that they have there. */
const records: Record<string, Raw | null> = {
  nothing: null,
  unpaid: {},
  paid,
  done,
  error,
  sentBack,
  bare: { ...done, amount_out: undefined },
  ready: { ...paid, status: 'pending_user_transfer_complete' },
  asks: { ...paid, status: 'pending_customer_info_update' },
  asksUnpaid: { status: 'pending_user' },
  pendingAnchor: { status: 'pending_anchor' },
  expired: { status: 'expired' },
  withExponent: { ...done, amount_in: '1E+2', amount_out: '1.5285772E+5' },
  unreadable: { ...done, amount_out: '1,5' },
  unreadableRefund: { ...done, refunds: { amount_refunded: '99,5' } },
  doneAndRefunded: { ...done, refunded: true },
  padded: { ...paid, amount_in: '100.00' },
  sentBackPadded: { ...sentBack, amount_in: '100.00' },
  paid91: { ...paid, amount_in: '91' },
  sentBack91: { ...sentBack, amount_in: '91' },
  paid5: { ...paid, amount_in: '5' },
  done5: { ...done, amount_in: '5' },
  unpaid5: { amount_in: '5' },
  paidUntold: { ...paid, ...untold },
  doneUntold: { ...done, ...untold },
  errorUntold: { ...error, ...untold },
  deposit: { kind: 'deposit' },
  turned: { ...error, kind: 'deposit', amount_in: '1', from: stranger },
  noKind: { kind: undefined },
  paidNoKind: { ...paid, kind: undefined },
  doneNoKind: { ...done, kind: undefined },
};

const look = (state: Intent, [afterMs, raw]: Sight) =>
  raw === null ? transition(state, null, startMs + afterMs, limits) : see(state, [afterMs, raw]);
const follow = (state: Intent, sights: readonly Sight[]) => sights.reduce(look, state);

const unseen = freshState();
const seen = see(unseen, [0, {}]);
const funded = see(seen, [minute, paid]);
const failed = see(funded, [2 * hour, error], [27 * hour, error]);
const transfer = { ...funded, corridorTerms: { ...funded.corridorTerms, mayBeCollected: false } };
const states: Record<string, Intent> = { unseen, seen, funded, failed, transfer };
states.unattached = freshState({ attachedAt: null });

/** What is seen of an intent and when, how it ends, and, where it is told, why it does not count. */
const table = `
just before a day of error    | funded | 1h error, 24h59m59s error                   | pending
a day of error                | funded | 1h error, 25h error                         | failed error | counts
a day of error, unseen        | funded | 1h error, 25h nothing                       | failed error
an error withdrawn            | funded | 1h error, 10h paid, 11h error, 34h error    | pending
an error that came again      | funded | 1h error, 10h paid, 11h error, 35h error    | failed error
errors and openness in turn   | funded | 20h error, 21h paid, 60h error, 61h paid, 71h error, 73h paid | failed overdue
open until the limit          | funded | 72h paid                                    | pending
open beyond the limit         | funded | 72h1m paid                                  | failed overdue | counts
silent beyond the limit       | funded | 73h nothing                                 | pending
silent a day more             | funded | 96h1m nothing                               | failed overdue
ready for 29 days             | funded | 1h ready, 29d ready                         | pending
ready for 30 days             | funded | 1h ready, 30d1h nothing                     | failed customer_absent | customer_absent
a question for 30 days        | funded | 1h asks, 30d1h asks                         | failed customer_absent | customer_absent
a question, answered          | funded | 1h asks, 10d1h paid, 13d paid               | pending
a question, then slowness     | funded | 1h asks, 10d1h paid, 13d1m paid             | failed overdue | counts
two questions, 30 days nearly | funded | 1h asks, 10d1h paid, 13d asks, 32d23h nothing | pending
two questions of 30 days      | funded | 1h asks, 10d1h paid, 13d asks, 33d nothing  | failed customer_absent
a question before the payment | seen   | 1m asksUnpaid, 10h paid, 82h1m paid         | failed overdue
a transfer called ready       | transfer | 1h ready, 72h1m ready                     | failed overdue
a payout                      | funded | 1h done                                     | settled completed | counts
a payout with an exponent     | funded | 1h withExponent                             | settled completed | counts
a payout told late            | funded | 1h bare, 24h done                           | settled completed | counts
a payout never told           | funded | 1h bare, 25h nothing                        | failed unproven | counts
an unreadable payout          | funded | 1h unreadable                               | pending
a payout readable at last     | funded | 1h unreadable, 2h done                      | settled completed | counts
a payout unreadable for a day | funded | 1h unreadable, 25h nothing                  | settled completed | amount_unreadable
an unreadable refund          | funded | 1h unreadableRefund                         | settled completed | amount_unreadable
errors and completions        | funded | 1h error, 12h bare, 20h error               | pending
errors and completions, a day | funded | 1h error, 12h bare, 20h error, 25h bare     | failed unproven
funds that are denied later   | funded | 1h unpaid, 2h expired, 26h nothing          | failed error | counts
a refund                      | funded | 1h sentBack                                 | failed refunded | counts
a refund, no amount told      | seen   | 1m paidUntold, 1h sentBack                  | failed refunded | counts
a refund of a padded amount   | seen   | 1m padded, 1h sentBackPadded                | failed refunded | counts
a refund of 9 % less          | seen   | 1m paid91, 1h sentBack91                    | failed refunded | amount_mismatch
no transaction, nearly late   | unattached | 23h59m59s nothing                       | pending
no transaction                | unattached | 1d nothing                              | expired no_transaction
no funds at the deadline      | seen   | 1d unpaid                                   | pending
no funds a day later          | seen   | 2d nothing                                  | expired never_funded
never seen                    | unseen | 2d nothing                                  | expired never_funded
pending_anchor, maybe KYC     | seen   | 2d pendingAnchor                            | expired never_funded
closed before funds           | seen   | 1m expired                                  | expired abandoned
a failure made good           | failed | 20d done                                    | settled recovered | counts
made good on the last day     | failed | 31d3h done                                  | settled recovered
made good too late            | failed | 31d3h1s done                                | failed error
completed without a payout    | failed | 2d bare                                     | failed error
completed and refunded        | failed | 2d doneAndRefunded                          | failed error
refunded afterwards           | failed | 2d sentBack                                 | failed error
unproven, made good           | funded | 1h bare, 80h bare, 100h done                | settled recovered
overdue, made good            | funded | 80h paid, 100h done                         | settled recovered
refunded, made good           | funded | 1h sentBack, 100h done                      | settled recovered
made good by less             | seen   | 1m paidUntold, 2h errorUntold, 27h errorUntold, 3d done5 | failed error | counts
paid when first seen          | unseen | 1m paid, 2m done                            | settled completed | seen_after_payment
another amount                | seen   | 1m paid5, 1h done5                          | settled completed | amount_mismatch
another amount, unpaid        | unseen | 0m unpaid5, 1m paid, 1h done                | settled completed | counts
no amount paid in             | seen   | 1m paidUntold, 1h doneUntold                | settled completed | amount_missing
described differently, paid   | funded | 1h turned, 27h turned                       | failed error | counts
filled in step by step        | unseen | 0m deposit, 1m unpaid, 2m paid, 1h done     | settled completed | counts
a kind that is never named    | unseen | 0m noKind, 1m paidNoKind, 1h doneNoKind     | settled completed | not_a_withdrawal
`;
const sightsOf = (text: string): Sight[] =>
  courseOf(text).map(([afterMs, name]) => {
    const raw = records[name];
    if (raw === undefined) throw new Error(`no record is called ${name}`);
    return [afterMs, raw];
  });

describe('an intent', () => {
  it.each(rowsOf(table))('ends by the table: %s', (_what, from = '', sights = '', end = '', counts = '') => {
    const state = follow(states[from] ?? unseen, sightsOf(sights));
    expect(outcome(state)).toBe(end);
    if (counts !== '') expect(state.unscoredReason ?? 'counts').toBe(counts);
  });

  it.each<[Raw, UnscoredReason | null, string | null]>([
    [{}, null, null],
    [{ kind: 'withdrawal-exchange' }, null, null],
    [{ kind: 'deposit-exchange' }, 'not_a_withdrawal', 'not_a_withdrawal'],
    [{ from: account }, null, null],
    [{ from: stranger }, 'sender_mismatch', 'other_account'],
    [{ from: muxedStranger }, 'sender_mismatch', 'other_account'],
    [{ from: '0123456789' }, 'sender_mismatch', 'other_account'],
    [{ amount_in_asset: 'USDC', amount_out_asset: 'NGN' }, null, null],
    [{ amount_in_asset: sellAsset.replace('stellar:', '') }, null, null],
    [{ amount_in_asset: sellAsset.replace('USDC', 'EURC') }, 'asset_mismatch', 'other_asset'],
    [{ amount_in_asset: `${sellAsset.slice(0, -1)}X` }, 'asset_mismatch', 'other_asset'],
    [{ amount_out_asset: 'iso4217:KES' }, 'asset_mismatch', 'other_asset'],
    [{ started_at: at(-30 * second) }, null, null],
    [{ started_at: at(-2 * minute) }, 'started_before_intent', null],
  ])('whose record says %j is judged by that, also where later ones leave it out', (raw, fault, problem) => {
    const told = see(unseen, [0, raw]);
    expect([told.unscoredReason, told.problem]).toEqual([fault, problem]);
    const ended = see(told, [minute, { ...paid, kind: undefined }], [hour, { ...done, kind: undefined }]);
    expect([outcome(ended), ended.unscoredReason]).toEqual(['settled completed', fault]);
  });

  it('whose id the anchor does not know ten times is polled no more, and an id that was seen before is', () => {
    const ask = (before: Intent) => transition(before, 'unknown_to_anchor', startMs, limits);
    const unknown = (state: Intent, times: number) => Array(times).fill(0).reduce<Intent>(ask, state);
    expect(unknown(unseen, 9)).toMatchObject({ poll: 'unconfirmed', problem: 'unknown_to_anchor' });
    expect(unknown(unseen, 10)).toMatchObject({ poll: 'never', unknownPolls: 10 });
    expect(unknown(seen, 10)).toMatchObject({ poll: 'confirmed', unknownPolls: 0 });
  });

  it('is paid by the account that a muxed sender stands for', () => {
    const intent = { ...unseen, account: stranger };
    expect(see(intent, [0, { from: muxedStranger }]).unscoredReason).toBeNull();
  });

  it('keeps the day of a failure that is made good, and is timed by a payout, not by a transfer called ready', () => {
    const made = see(failed, [20 * day, { ...done, completed_at: at(20 * day) }]);
    expect(made.outcome?.recordedAt).toEqual(new Date(startMs + 27 * hour));
    expect(made.recoveredAt).toEqual(new Date(startMs + 20 * day));
    const timed = see(transfer, [hour, records.ready ?? {}], [10 * hour, done]);
    expect(timed.outcome?.settleSeconds).toBeGreaterThan(9 * 3_600);
  });

  it.each([
    [{}, { shortfallPpb: 0, amountOut: '150000' }],
    [{ amount_out: '152857.7200000000000000' }, { shortfallPpb: 0, amountOut: '152857.72' }],
    [{ amount_out: '148500' }, { shortfallPpb: 10_000_000 }],
    // A smaller amount that is claimed later makes the payout no better.
    [{ amount_in: '90', amount_out: '135000' }, { shortfallPpb: 100_000_000 }],
    [{ amount_out_asset: 'iso4217:USD' }, { amountOut: null }],
  ])('that settles with %j is measured against its quote', (raw, measured) => {
    expect(see(funded, [hour, { ...done, ...raw }]).outcome).toMatchObject(measured);
  });
});

describe('the amounts', () => {
  it('may differ from what was announced by a tenth', () => {
    const amounts = ['90', '110', '89.9999999', '110.0000001', '0'];
    const expected = [true, true, false, false, false];
    expect(amounts.map((amount) => isAnnouncedAmount(amount, '100'))).toEqual(expected);
  });

  it.each([
    ['152150.4', 'NGN', '152150.40'],
    ['152150.405', 'NGN', '152150.405'],
    ['370000', 'UGX', '370000'],
    ['30.7', 'KWD', '30.700'],
    ['123456789012345678901.5', 'NGN', '123456789012345678901.50'],
  ])('%s %s is written as %s', (amount, currency, expected) =>
    expect(fiatAmount(amount, minorUnitsOfAsset(`iso4217:${currency}`))).toBe(expected),
  );

  const quote = { tier: 'anchor', sellAmount: '100', receiveAmount: '152000' } as const;
  it.each([
    ['100', '152000', quote, 0],
    ['100', '150480', quote, 10_000_000],
    ['100', '160000', quote, 0],
    ['100', '0', quote, 1_000_000_000],
    ['33.3333333', '50666.666616', quote, 0],
    ['3', '4559.9999924', quote, 2],
    ['100', '1', null, null],
    ['100', '1', { ...quote, tier: 'estimate' as const }, null],
    ['0', '1', quote, null],
    ['100', '1', { ...quote, receiveAmount: '0' }, null],
    ['100', '1', { ...quote, sellAmount: '0' }, null],
  ])('%s paid in and %s paid out fall short by parts per 10⁹', (amountIn, amountOut, of, expected) =>
    expect(shortfallPpb({ amountIn, amountOut, quote: of })).toBe(expected),
  );
});

describe('an observation', () => {
  const told = { ...paid, updated_at: at(minute) };
  const dated = see(seen, [minute, told]);
  const older = { ...error, updated_at: at(30 * second) };
  it.each<[string, Intent, Raw, number, boolean, boolean]>([
    ['an older one', funded, error, 30 * second, false, false],
    ['a late callback with an older date', dated, older, 2 * minute, true, false],
    ['a poll with an older date', dated, older, 2 * minute, false, true],
    ['a callback without a date', dated, error, 2 * minute, true, true],
    ['one of an intent without a transaction', freshState({ attachedAt: null }), done, minute, false, false],
  ])('is taken or not: %s', (_name, state, raw, afterMs, mayBeLate, isTaken) => {
    const observedAtMs = startMs + afterMs;
    const next = transition(state, { record: record(raw), observedAtMs, mayBeLate }, startMs + hour, limits);
    expect(next !== state).toBe(isTaken);
  });
});

describe('whatever is observed', () => {
  const hours = fc.integer({ min: 0, max: 100 * 24 });
  const names = fc.constantFrom(...Object.keys(records));
  const sights = fc
    .array(fc.tuple(hours, names), { maxLength: 12 })
    .map((found) => found.sort(([a], [b]) => a - b))
    .map((found) => found.map(([after, name]): Sight => [after * hour, records[name] ?? null]));

  it('without funds there is no outcome but an expiry, and after an end nothing but a recovery', () => {
    fc.assert(
      fc.property(sights, (found) => {
        found.reduce((before, sight) => {
          const state = follow(before, [sight]);
          if (before.outcome !== null && state.outcome !== before.outcome)
            expect([before.outcome.kind, outcome(state)]).toEqual(['failed', 'settled recovered']);
          if (state.outcome !== null && state.outcome.kind !== 'expired')
            expect(state.observations.fundedAtMs).not.toBeNull();
          expect(state.status).toBe(state.outcome?.kind ?? 'pending');
          return state;
        }, unseen);
      }),
    );
  });

  it('what arrives after something newer changes nothing, in whatever order it comes', () => {
    fc.assert(
      fc.property(sights, fc.nat(), (found, turn) => {
        const once = follow(unseen, found);
        const [lastMs] = found.findLast(([, raw]) => raw !== null) ?? [0];
        const late = found.filter(([afterMs, raw]) => raw !== null && afterMs < lastMs);
        const turned = [...late.slice(turn % (late.length + 1)), ...late];
        const again = turned.reduce((state, [afterMs, raw]) => {
          const seenThen = { record: record(raw ?? {}), observedAtMs: startMs + afterMs };
          return transition(state, seenThen, startMs + lastMs, limits);
        }, once);
        expect(again).toEqual(once);
      }),
    );
  });
});
