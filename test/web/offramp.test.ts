import { describe, expect, it } from '@jest/globals';
import { intentsExamples } from '../../contract/examples/intents.js';
import type { IntentAnswer } from '../../contract/schemas/intents.js';
import { standingOf } from '../../web/src/pages/dispute/standing.js';
import { readIntentHash } from '../../web/src/pages/offramp/intent-hash.js';
import { possibleEnds, trackOf } from '../../web/src/pages/offramp/track.js';
import { dueOf, problemToMend, turnOf } from '../../web/src/pages/offramp/turn.js';

const settled = intentsExamples.getIntent.answer as IntentAnswer;
const { transaction, payment, outcome } = settled;
if (transaction === null || payment?.found == null || outcome === null)
  throw new Error('The example of an intent is settled.');

/** A pending intent without a transaction, with the given parts replaced. */
function intentWith(parts: Partial<IntentAnswer> = {}): IntentAnswer {
  const steps = settled.steps.slice(0, 1);
  return { ...settled, status: 'pending', transaction: null, payment: null, outcome: null, steps, ...parts };
}

const open = { ...transaction, status: 'pending_user_transfer_start', fundsReceivedAt: null };
const inTime = Date.parse('2026-11-21T10:00:00.000Z');
const tooLate = Date.parse('2026-11-22T10:00:00.000Z');
const hash = 'acffc35a01a279d205d20851c951e760b811d65b6e16f396ed99c108b054f3f7';
const undecided = {
  disputeId: 'dsp_1',
  status: 'open' as const,
  createdAt: outcome.recordedAt,
  resolvedAt: null,
};
const failed = { ...outcome, status: 'failed' as const, reason: 'overdue' as const };

it.each([
  ['alone, with spaces around it', ` ${hash}\n`, hash],
  ['in upper case', hash.toUpperCase(), hash],
  ['in the address of its answer', `https://fairlead.example/api/intent/${hash}?lang=fr`, hash],
  ['not from nothing', '', undefined],
  ['not from a part of a hash', hash.slice(1), undefined],
  ['not from a longer text of hex digits', `${hash}0`, undefined],
  ['not from two hashes', `${hash} ${hash}`, undefined],
])('an intent hash that was pasted is read %s', (_, text, read) => {
  expect(readIntentHash(text)).toBe(read);
});

describe('what happens next in an off-ramp', () => {
  const ended = { status: 'settled' as const, transaction, payment, outcome };

  it.each([
    ['attach', {}],
    ['awaitLook', { transaction: { ...open, status: null, lastSeenAt: null } }],
    ['finishForm', { transaction: { ...open, status: 'incomplete' } }],
    ['pay', { transaction: open }],
    ['awaitReceipt', { transaction: open, payment }],
    ['payOut', { transaction: { ...transaction, status: 'pending_external' }, payment }],
    ['collect', { transaction: { ...transaction, readyAt: '2026-11-21T09:40:00.000Z' } }],
    ['answerAnchor', { transaction: { ...transaction, status: 'pending_user' } }],
    ['mendTransaction', { transaction: { ...open, problem: 'unknown_to_anchor' as const } }],
    ['mayDispute', ended],
    ['decide', { ...ended, dispute: undecided }],
    ['mayRecover', { status: 'failed' as const, transaction, outcome: failed }],
  ] satisfies [string, Partial<IntentAnswer>][])('is %s', (turn, parts) => {
    expect(turnOf(intentWith(parts), inTime)).toBe(turn);
  });

  it('is told with the time by which it happens, where there is one', () => {
    const due = (turn: Parameters<typeof dueOf>[1], intent: Parameters<typeof dueOf>[0]) =>
      dueOf(intent, turn, 600);
    const paid = intentWith({ transaction: { ...transaction, fundsReceivedAt: '2026-11-21T09:40:00.000Z' } });
    const { expiresAt } = paid;
    expect(due('attach', intentWith())).toBe(expiresAt);
    expect(due('pay', intentWith({ transaction: open }))).toBe(expiresAt);
    expect(due('payOut', paid)).toBe('2026-11-21T09:50:00.000Z');
    expect(dueOf(paid, 'payOut')).toBeUndefined();
    expect(due('answerAnchor', paid)).toBeUndefined();
    expect(due('awaitLook', paid)).toBeUndefined();
    expect(due('mayRecover', intentWith({ outcome: failed }))).toBe(
      new Date(Date.parse(outcome.recordedAt) + 30 * 86_400_000).toISOString(),
    );
  });

  it('asks for no payment once the time for it is over', () => {
    expect(turnOf(intentWith({ transaction: open }), tooLate)).toBe('awaitExpiry');
  });

  const naming = (by: 'wallet' | 'anchor', problem: 'not_found' | 'other_destination') => {
    return { hash, by, lookedUpAt: null, problem };
  };
  it.each([
    ['nothing of a payment that is looked up again', [], 'pay', undefined],
    ['what it can mend', [naming('anchor', 'other_destination')], 'mendPayment', 'other_destination'],
  ])('asks of the wallet %s', (_, others, turn, problem) => {
    const payment = { named: [naming('wallet', 'not_found'), ...others], found: null };
    const intent = intentWith({ transaction: open, payment });
    expect([turnOf(intent, inTime), problemToMend(payment)]).toEqual([turn, problem]);
  });
});

describe('the track of an off-ramp', () => {
  const recovered = { ...outcome, reason: 'recovered' as const, recoveredAt: '2026-11-23T09:00:00.000Z' };
  const expired = { ...outcome, status: 'expired' as const, reason: 'no_transaction' as const };
  const paid = { status: 'settled' as const, transaction, payment, outcome };

  const marks = { done: '', waiting: '?', later: '…', skipped: '-' };
  it.each([
    ['waits for what was not reached', { transaction: open }, 'registered attached received? ended…'],
    ['shows the payment and the end', paid, 'registered attached paid received settled'],
    ['skips what was not reached', { outcome: expired }, 'registered attached- received- expired'],
    ['recovers', { ...paid, outcome: recovered }, 'registered attached paid received failed recovered'],
    ['has cash', { transaction, deliveryMethod: 'cash' }, 'registered attached received ready? ended…'],
  ])('%s', (_, parts, stages) => {
    const track = trackOf(intentWith(parts));
    expect(track.map(({ name, state }) => name + marks[state]).join(' ')).toBe(stages);
  });

  it('shows when it ended, and when the last transaction was attached', () => {
    expect(trackOf(intentWith(paid)).at(-1)?.at).toBe(outcome.recordedAt);
    const attached = (at: string) => ({ kind: 'transaction_attached' as const, at, transactionStatus: null });
    const last = '2026-11-21T09:33:00.000Z';
    const steps = [attached('2026-11-21T09:31:00.000Z'), attached(last)];
    const track = trackOf(intentWith({ transaction: open, steps }));
    expect(track[1]).toEqual({ name: 'attached', state: 'done', at: last });
  });

  it('rules out expiry once there are funds', () => {
    expect(possibleEnds(intentWith({ transaction: open, payment }))).not.toContain('expired');
    expect(possibleEnds(intentWith({ transaction: open }))).toContain('expired');
  });
});

describe('who may dispute an outcome', () => {
  const recorded = Date.parse(outcome.recordedAt);
  const lastMs = recorded + 30 * 86_400_000;
  const recovered = { ...outcome, reason: 'recovered' as const, recoveredAt: '2026-12-10T09:00:00.000Z' };
  const expired = { ...outcome, status: 'expired' as const, reason: 'no_transaction' as const };
  const rejected = { ...undecided, status: 'rejected' as const, resolvedAt: '2026-11-24T09:00:00.000Z' };
  const held = { ...open, problem: 'held_by_another' as const };
  const ofAccount = { kind: 'open', party: 'account' };

  it.each([
    ['the account where it settled', { outcome }, lastMs, ofAccount],
    ['nobody after 30 days', { outcome }, lastMs + 1, { kind: 'closed', party: 'account' }],
    ['the anchor where it failed', { outcome: failed }, recorded, { kind: 'open', party: 'anchor' }],
    [
      'the account for 30 days from a recovery',
      { outcome: recovered },
      lastMs + 1,
      { ...ofAccount, until: '2027-01-09T09:00:00.000Z' },
    ],
    ['nobody before there is an outcome', { transaction: open }, recorded, { kind: 'unresolved' }],
    ['nobody where it expired', { outcome: expired, transaction: null }, recorded, { kind: 'nobody' }],
    ['nobody where another holds it', { outcome: expired, transaction: held }, recorded, { kind: 'nobody' }],
    ['nobody twice', { outcome, dispute: rejected }, recorded, { kind: 'disputed' }],
    ['nobody before a decision', { outcome, dispute: undecided }, recorded, { kind: 'disputed' }],
    ['nobody meanwhile', { outcome: recovered, dispute: undecided }, recorded, { kind: 'disputed' }],
    ['the account of what recovered', { outcome: recovered, dispute: rejected }, recorded, ofAccount],
  ])('is %s', (_, parts, now, standing) => {
    expect(standingOf(intentWith({ status: 'settled', transaction, ...parts }), now)).toMatchObject(standing);
  });
});
