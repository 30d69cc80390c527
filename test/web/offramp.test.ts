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

describe('an intent hash that was pasted', () => {
  it.each([
    ['alone, with spaces around it', ` ${hash}\n`],
    ['in upper case', hash.toUpperCase()],
    ['in the address of its answer', `https://fairlead.example/api/intent/${hash}?lang=fr`],
  ])('is read %s', (_, text) => {
    expect(readIntentHash(text)).toBe(hash);
  });

  it.each([
    ['nothing', ''],
    ['a part of a hash', hash.slice(1)],
    ['a longer text of hex digits', `${hash}0`],
    ['two hashes', `${hash} ${hash}`],
  ])('is not read from %s', (_, text) => {
    expect(readIntentHash(text)).toBeUndefined();
  });
});

describe('what happens next in an off-ramp', () => {
  it.each([
    ['the wallet attaches', intentWith(), 'attach'],
    [
      'the wallet waits for the first look',
      intentWith({ transaction: { ...open, status: null, lastSeenAt: null } }),
      'awaitLook',
    ],
    [
      'the person finishes the form',
      intentWith({ transaction: { ...open, status: 'incomplete' } }),
      'finishForm',
    ],
    ['the wallet pays', intentWith({ transaction: open }), 'pay'],
    ['the anchor notices the payment', intentWith({ transaction: open, payment }), 'awaitReceipt'],
    [
      'the anchor pays out',
      intentWith({ transaction: { ...transaction, status: 'pending_external' }, payment }),
      'payOut',
    ],
    [
      'the person collects the cash',
      intentWith({ transaction: { ...transaction, readyAt: '2026-11-21T09:40:00.000Z' } }),
      'collect',
    ],
    [
      'the person answers the anchor',
      intentWith({ transaction: { ...transaction, status: 'pending_user' } }),
      'answerAnchor',
    ],
    [
      'the wallet mends the transaction',
      intentWith({ transaction: { ...open, problem: 'unknown_to_anchor' } }),
      'mendTransaction',
    ],
    [
      'the account may dispute a payout',
      intentWith({ status: 'settled', transaction, payment, outcome }),
      'mayDispute',
    ],
    [
      'a person decides about a dispute',
      intentWith({ status: 'settled', transaction, payment, outcome, dispute: undecided }),
      'decide',
    ],
    [
      'the anchor may still complete what it failed',
      intentWith({ status: 'failed', transaction, outcome: failed }),
      'mayRecover',
    ],
  ])('%s', (_, intent, turn) => {
    expect(turnOf(intent, inTime)).toBe(turn);
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

  it('asks nothing of the wallet about a payment that is looked up again', () => {
    const named = [{ hash, by: 'wallet' as const, lookedUpAt: null, problem: 'not_found' as const }];
    const intent = intentWith({ transaction: open, payment: { named, found: null } });
    expect(turnOf(intent, inTime)).not.toBe('mendPayment');
    expect(problemToMend(intent.payment)).toBeUndefined();
  });

  it('names the problem that the wallet has to mend, not one before it that passes', () => {
    const named = [
      { hash, by: 'wallet' as const, lookedUpAt: null, problem: 'not_found' as const },
      { hash, by: 'anchor' as const, lookedUpAt: null, problem: 'other_destination' as const },
    ];
    const intent = intentWith({ transaction: open, payment: { named, found: null } });
    expect(turnOf(intent, inTime)).toBe('mendPayment');
    expect(problemToMend(intent.payment)).toBe('other_destination');
  });
});

describe('the track of an off-ramp', () => {
  const states = (intent: Parameters<typeof trackOf>[0]) =>
    trackOf(intent).map(({ name, state }) => `${name} ${state}`);

  it('waits for the first stage that was not reached', () => {
    expect(states(intentWith({ transaction: open }))).toEqual([
      'registered done',
      'attached done',
      'received waiting',
      'ended later',
    ]);
  });

  it('shows the payment on the ledger and the end, with their times', () => {
    const track = trackOf(intentWith({ status: 'settled', transaction, payment, outcome }));
    expect(track.map(({ name }) => name)).toEqual(['registered', 'attached', 'paid', 'received', 'settled']);
    expect(track.at(-1)?.at).toBe(outcome.recordedAt);
  });

  it('shows when the last transaction was attached', () => {
    const attached = (at: string) => ({ kind: 'transaction_attached' as const, at, transactionStatus: null });
    const last = '2026-11-21T09:33:00.000Z';
    const steps = [attached('2026-11-21T09:31:00.000Z'), attached(last)];
    const track = trackOf(intentWith({ transaction: open, steps }));
    expect(track[1]).toEqual({ name: 'attached', state: 'done', at: last });
  });

  it('shows as skipped what an expired one never reached', () => {
    const expired = { ...outcome, status: 'expired' as const, reason: 'no_transaction' as const };
    expect(states(intentWith({ status: 'expired', outcome: expired }))).toEqual([
      'registered done',
      'attached skipped',
      'received skipped',
      'expired done',
    ]);
  });

  it('shows the failure before the recovery', () => {
    const recovered = { ...outcome, reason: 'recovered' as const, recoveredAt: '2026-11-23T09:00:00.000Z' };
    const track = states(intentWith({ status: 'settled', transaction, outcome: recovered }));
    expect(track.slice(-2)).toEqual(['failed done', 'recovered done']);
  });

  it('waits for the cash where it is paid out in cash', () => {
    expect(states(intentWith({ transaction, deliveryMethod: 'cash' }))).toContain('ready waiting');
  });

  it('rules out expiry once there are funds', () => {
    expect(possibleEnds(intentWith({ transaction: open, payment }))).not.toContain('expired');
    expect(possibleEnds(intentWith({ transaction: open }))).toContain('expired');
  });
});

describe('who may dispute an outcome', () => {
  const recorded = Date.parse(outcome.recordedAt);
  const lastMs = recorded + 30 * 86_400_000;
  const settled = intentWith({ status: 'settled', transaction, outcome });

  it('is the account where it settled, for 30 days to the millisecond', () => {
    expect(standingOf(settled, lastMs)).toMatchObject({ kind: 'open', party: 'account' });
    expect(standingOf(settled, lastMs + 1)).toMatchObject({ kind: 'closed', party: 'account' });
  });

  it('is the anchor where it failed', () => {
    const intent = intentWith({ status: 'failed', transaction, outcome: failed });
    expect(standingOf(intent, recorded)).toMatchObject({ kind: 'open', party: 'anchor' });
  });

  it('has 30 days from a recovery', () => {
    const recoveredAt = '2026-12-10T09:00:00.000Z';
    const intent = intentWith({ transaction, outcome: { ...outcome, reason: 'recovered', recoveredAt } });
    expect(standingOf(intent, lastMs + 1)).toMatchObject({ kind: 'open', until: '2027-01-09T09:00:00.000Z' });
  });

  it.each([
    ['without a transaction', null],
    ['with one that another intent follows', { ...open, problem: 'held_by_another' as const }],
  ])('is nobody where it expired %s', (_, claimed) => {
    const expired = { ...outcome, status: 'expired' as const, reason: 'no_transaction' as const };
    expect(standingOf(intentWith({ transaction: claimed, outcome: expired }), recorded)).toEqual({
      kind: 'nobody',
    });
  });

  describe('once it was disputed', () => {
    const dispute = {
      disputeId: 'dsp_1',
      status: 'rejected' as const,
      createdAt: outcome.recordedAt,
      resolvedAt: '2026-11-24T09:00:00.000Z',
    };
    const recovered = { ...outcome, reason: 'recovered' as const, recoveredAt: '2026-12-10T09:00:00.000Z' };

    it.each([
      ['by the party that it goes against', { outcome, dispute }],
      ['by that party, which is not decided', { outcome, dispute: undecided }],
      ['by the anchor before its recovery, which is not decided', { outcome: recovered, dispute: undecided }],
    ])('is nobody (%s)', (_, parts) => {
      const intent = intentWith({ status: 'settled', transaction, ...parts });
      expect(standingOf(intent, recorded)).toEqual({ kind: 'disputed' });
    });

    it('is the account where the anchor had disputed its failure before its recovery', () => {
      const intent = intentWith({ status: 'settled', transaction, outcome: recovered, dispute });
      expect(standingOf(intent, recorded)).toMatchObject({ kind: 'open', party: 'account' });
    });
  });

  it('is undecided before there is an outcome', () => {
    expect(standingOf(intentWith({ transaction: open }), recorded)).toEqual({ kind: 'unresolved' });
  });
});
