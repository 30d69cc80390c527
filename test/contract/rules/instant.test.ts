import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { utcInstant } from '../../../contract/verification/instant.js';

describe('an instant that a client sends', () => {
  it.each([
    ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:00.5Z', '2026-11-21T09:30:00.500Z'],
    ['2026-11-21T09:30:00.123456789Z', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21T00:30:00+01:00', '2026-11-20T23:30:00.000Z'],
    ['2026-12-31T20:30:00-05:45', '2027-01-01T02:15:00.000Z'],
    ['2028-02-29T00:00:00.000-00:00', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (sent, expected) => expect(utcInstant(sent)).toBe(expected));

  it.each([
    '2026-11-21',
    '2026-11-21T09:30Z',
    '2026-11-21T09:30:00',
    '2026-11-21 09:30:00Z',
    '2026-11-21T09:30:00z',
    '2026-11-21T09:30:00.Z',
    '2026-11-21T09:30:00.1234567890Z',
    '2026-11-21T09:30:00+0100',
    '2026-11-21T09:30:00+24:00',
    '2026-11-31T09:30:00Z',
    '2027-02-29T09:30:00+01:00',
    '2026-11-21T24:00:00Z',
    '2026-11-21T23:59:60Z',
    '9999-12-31T23:59:59-01:00',
    ' 2026-11-21T09:30:00Z',
  ])('%j is none', (sent) => expect(utcInstant(sent)).toBeNull());

  it('in the form of the answers is left as it is', () => {
    const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(fc.property(dates, (date) => expect(utcInstant(date.toISOString())).toBe(date.toISOString())));
  });
});
