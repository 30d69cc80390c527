import { describe, expect, it } from '@jest/globals';
import { type Draft, isOfAnother, isOvertaken, lackOf, verdictOf } from '../../web/src/pages/desk/verdict.js';

const id = `dsp_${'0'.repeat(36)}`;
const draft: Draft = { action: 'accept', note: '', evidence: '', actor: '' };
const entry = {
  at: '2026-11-21T10:00:00.000Z',
  action: 'accepted' as const,
  actor: 'admin',
  note: null,
  evidence: null,
};
const filed = { ...entry, action: 'filed' as const, actor: 'GBXF' };

describe('a verdict of the desk', () => {
  it('lacks the action until one is chosen', () => {
    expect(lackOf({ ...draft, action: undefined }, 'supported')).toBe('action');
  });

  it('lacks evidence only where an unsupported dispute is accepted', () => {
    expect(lackOf(draft, 'unsupported')).toBe('evidence');
    expect(lackOf({ ...draft, evidence: ' \n' }, 'unsupported')).toBe('evidence');
    expect(lackOf({ ...draft, evidence: '17a670bc' }, 'unsupported')).toBeUndefined();
    expect(lackOf({ ...draft, action: 'reject' }, 'unsupported')).toBeUndefined();
    expect(lackOf(draft, 'supported')).toBeUndefined();
  });

  it('leaves out what was left empty', () => {
    expect(verdictOf(id, { ...draft, action: 'accept', note: '  ' })).toEqual({ id, action: 'accept' });
    expect(verdictOf(id, { action: 'reject', note: ' Seen. ', evidence: 'x', actor: 'ada' })).toEqual({
      id,
      action: 'reject',
      note: 'Seen.',
      evidence: 'x',
      actor: 'ada',
    });
  });

  it('was overtaken only where the dispute is decided, and not where its intent has no outcome', () => {
    expect(isOvertaken({ status: 409, body: { code: 'DISPUTE_RESOLVED' } })).toBe(true);
    expect(isOvertaken({ status: 409, body: { code: 'INTENT_UNRESOLVED' } })).toBe(false);
    expect(isOvertaken({ status: 404, body: { code: 'UNKNOWN_DISPUTE' } })).toBe(false);
  });

  it('is our own where the audit trail says what was sent', () => {
    expect(isOfAnother({ id, action: 'accept' }, { audit: [filed, entry] })).toBe(false);
  });

  it.each([
    ['a name', { ...entry, actor: 'bob' }],
    ['a reason', { ...entry, note: 'Seen.' }],
    ['evidence', { ...entry, evidence: '17a670bc' }],
  ])('is of another admin where the audit trail has %s that was not sent', (_, standing) => {
    expect(isOfAnother({ id, action: 'accept' }, { audit: [filed, standing] })).toBe(true);
  });
});
