import { describe, expect, it } from '@jest/globals';
import { compareIntents } from '../../../scripts/faults/compare/intents.rules.js';
import { compareTransitions } from '../../../scripts/faults/compare/transitions.rules.js';
import type { Finding } from '../../../scripts/faults/ports.js';
import { agreeing, changing, without } from '../../fixtures/faults/agreeing.js';

const { entries, intent } = agreeing();
const other = { ...intent, _id: 'f'.repeat(64) };

function said(findings: readonly Finding[]): string[] {
  return findings.map(({ what }) => what);
}

describe('the comparison of intents', () => {
  it('finds nothing where all agrees', () => {
    expect(compareIntents(entries, [intent])).toEqual([]);
    expect(compareTransitions(entries, [intent])).toEqual([]);
  });

  it('names an acknowledged intent that is lost', () => {
    expect(compareIntents(entries, [])).toEqual([
      { of: 'intents', id: intent._id, what: 'It was acknowledged and is lost.' },
    ]);
  });

  it('names an intent that is stored with other terms', () => {
    expect(said(compareIntents(entries, [{ ...intent, sellAmount: '101' }]))).toEqual([
      'It is stored with other terms than acknowledged.',
    ]);
  });

  it('names an intent that nobody sent', () => {
    const invented = { ...other, transactionId: 't-2' };
    expect(compareIntents(entries, [intent, invented])).toEqual([
      { of: 'intents', id: other._id, what: 'It is stored, and nobody sent it.' },
    ]);
  });

  it('takes an intent that was sent and never acknowledged, stored or not', () => {
    const unanswered = without(without(entries, 'intent_acknowledged'), 'transaction_acknowledged');
    expect(compareIntents(unanswered, [intent])).toEqual([]);
    expect(compareIntents(without(unanswered, 'outcome_told'), [])).toEqual([]);
  });

  it('names an intent that was made twice', () => {
    const twice = [...entries, ...entries.filter(({ kind }) => kind === 'intent_acknowledged')];
    expect(said(compareIntents(twice, [intent]))).toEqual(['It was acknowledged as new twice.']);
  });

  it('names a transaction and a payment that several intents have', () => {
    const sent = [...entries, ...changing(entries, 'intent_sent', { intentHash: other._id })];
    const paid = { ...intent, paymentId: 'p-1' };
    expect(said(compareIntents(sent, [paid, { ...paid, _id: other._id }]))).toEqual([
      'It was acknowledged as new twice.',
      'Several intents follow this transaction.',
      'Several intents were paid by this payment.',
    ]);
  });

  it('names an attached transaction and a named payment that are lost', () => {
    const { transactionId: _, ...unattached } = intent;
    expect(said(compareIntents(entries, [unattached]))).toEqual([
      'The transaction t-1 was acknowledged; stored is undefined.',
    ]);
    const named = changing(entries, 'transaction_acknowledged', { paymentHash: 'ab' });
    expect(said(compareIntents(named, [intent]))).toEqual(['The payment ab was acknowledged and is lost.']);
  });

  it('names an outcome that was told and taken back, or is another one', () => {
    expect(said(compareIntents(entries, [{ ...intent, status: 'pending', outcome: null }]))).toEqual([
      'The outcome settled (completed) of 2026-11-22T10:00:00.000Z was told; stored is pending (undefined).',
    ]);
    const earlier = changing(entries, 'outcome_told', { recordedAt: '2026-11-22T09:00:00.000Z' });
    expect(said(compareIntents(earlier, [intent]))).toEqual([
      'The outcome settled (completed) of 2026-11-22T09:00:00.000Z was told; stored is one of 2026-11-22T10:00:00.000Z.',
    ]);
  });

  it('takes a failure that was told before it recovered', () => {
    const failed = changing(entries, 'outcome_told', { status: 'failed', reason: 'error' });
    const recovered = { ...intent, recoveredAt: new Date() };
    expect(compareIntents(failed, [recovered])).toEqual([]);
  });
});

describe('the comparison of streams', () => {
  it('names a transition that was left out, or told twice', () => {
    const gap = entries.filter((entry) => !(entry.kind === 'transition_told' && entry.number === 2));
    expect(said(compareTransitions(gap, [intent]))).toEqual([
      'The transition 3 was told in place 2.',
      'It is over after 3 transitions, and 2 were told.',
    ]);
    const first = entries.filter((entry) => entry.kind === 'transition_told' && entry.number === 1);
    expect(said(compareTransitions([...first, ...entries], [intent]))).toContain(
      'The transition 1 was told in place 2.',
    );
  });

  it('names a stream that told nothing of an intent that is over', () => {
    const silent = without(entries, 'transition_told');
    expect(said(compareTransitions(silent, [intent]))).toEqual([
      'It is over after 3 transitions, and 0 were told.',
    ]);
  });

  it('names a transition that is stored otherwise, or not at all', () => {
    const [registered, attached, settled] = intent.steps ?? [];
    if (!registered || !attached || !settled) throw new Error('the fixture lacks its transitions');
    const changed = { ...intent, steps: [registered, { ...attached, at: new Date(0) }, settled] };
    expect(said(compareTransitions(entries, [{ ...changed, attachedAt: new Date(0) }]))).toEqual([
      'The transition 2 was told as transaction_attached of 2026-11-22T10:00:00.000Z; stored is transaction_attached of 1970-01-01T00:00:00.000Z.',
    ]);
    const rolledBack: typeof intent = { ...intent, status: 'pending', outcome: null, open: true };
    expect(said(compareTransitions(entries, [{ ...rolledBack, steps: [registered, attached] }]))).toEqual([
      'The transition 3 was told as settled of 2026-11-22T10:00:00.000Z; stored is nothing.',
    ]);
  });
});
