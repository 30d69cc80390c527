import { describe, expect, it } from '@jest/globals';
import { isLogFailure, isRestored, oracleWord } from '../../../server/features/publisher/continuity.rules.js';
import type { OracleRecord } from '../../../server/features/publisher/oracle-record.rules.js';

const head = { sequence: 7, headerHash: 'a' };
const taken = (sequence: number, headerHash: string) =>
  ({ kind: 'taken', batch: { header: { sequence }, receipt: { headerHash } } }) as unknown as OracleRecord;
const absent: OracleRecord = { kind: 'absent' };
const away: OracleRecord = { kind: 'away', failure: 'oracle_timeout', detail: '' };
const unreadable: OracleRecord = { kind: 'unreadable', detail: '' };

describe('the word of the oracle', () => {
  it.each<[string, string, OracleRecord, OracleRecord | null]>([
    ['whole', 'shows the head and nothing after it', absent, taken(7, 'a')],
    ['behind', 'has a batch after the head', taken(8, 'b'), null],
    ['behind', 'has another batch in the place of the head', absent, taken(7, 'x')],
    ['away', 'cannot be asked for the next one', away, null],
    ['away', 'cannot be asked for the head', absent, away],
    ['silent', 'answers something else', unreadable, null],
    ['silent', 'answers something else for the head', absent, unreadable],
    ['silent', 'answers 404 for a batch that it took, too', absent, absent],
  ])('is "%s" where it %s', (kind, _where, next, own) => {
    expect(oracleWord(head, next, own).kind).toBe(kind);
  });

  it('on an empty log depends on whether it has the first batch', () => {
    // An oracle that shows no batches at all gives the same answer.
    expect(oracleWord(null, absent, null).kind).toBe('silent');
    expect(oracleWord(null, taken(1, 'a'), null).kind).toBe('behind');
  });
});

describe('the identity of the log', () => {
  it('tells of a restored dump, except in data of a release that noted none', () => {
    expect(isRestored('one', 'one')).toBe(false);
    expect(isRestored('one', 'other')).toBe(true);
    expect(isRestored(null, 'other')).toBe(false);
  });
});

describe('a failure of the log', () => {
  it('is one that an operator has to mend', () => {
    expect([isLogFailure('log_behind'), isLogFailure('log_restored')]).toEqual([true, true]);
    expect([isLogFailure(null), isLogFailure('oracle_unreachable')]).toEqual([false, false]);
  });
});
