import { describe, expect, it } from '@jest/globals';
import { covers } from '../../../server/ledger/ledger-transaction.rules.js';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const week = 7 * 86_400_000;
/** The answer of a node with the default retention. */
const range = {
  oldestLedger: 60_000_001,
  latestLedger: 60_120_960,
  oldestAtMs: now - week,
  latestAtMs: now - 4_000,
};

describe('whether a range covers a time', () => {
  it.each([
    ['a time within it', range, now - week + 1_000, true],
    ['the closing of its oldest ledger', range, now - week, true],
    ['a time before it', range, now - week - 1, false],
    [
      'any time, where the node is a minute behind',
      { ...range, latestAtMs: now - 61_000 },
      now - 1_000,
      false,
    ],
    ['a time that so few ledgers cannot cover', { ...range, oldestAtMs: 0 }, now - 1_000, false],
    [
      'any time, where the oldest is newer than the latest',
      { ...range, oldestLedger: 60_200_000 },
      now - 1_000,
      false,
    ],
  ])('%s', (_, held, sinceMs, expected) => {
    expect(covers(held, sinceMs, now)).toBe(expected);
  });
});
