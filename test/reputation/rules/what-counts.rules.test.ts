import { describe, expect, it } from '@jest/globals';
import type { AggregatableIntent } from '../../../server/features/intents/aggregation.js';
import { settleBucketOf } from '../../../server/features/reputation/settle-histogram.rules.js';
import { type Contribution, contributionOf } from '../../../server/features/reputation/what-counts.rules.js';
import { aggregatable, expired, failed, settled } from '../../fixtures/reputation/aggregatable-intents.js';

const filled: Contribution = {
  day: '2026-11-21',
  filled: 1,
  notFilled: 0,
  settleBucket: settleBucketOf(90),
  shortfallPpb: 0,
  acceptedDispute: 0,
  timesKnown: 0,
  newAccount: 0,
  verified: 0,
};
const notFilled: Contribution = {
  ...filled,
  filled: 0,
  notFilled: 1,
  settleBucket: null,
  shortfallPpb: null,
};
const disputed = { acceptedDispute: 1 } as const;
const untimed = { settleBucket: null, shortfallPpb: null };

const table: [string, Partial<AggregatableIntent>, Contribution | null][] = [
  ['no outcome yet', {}, null],
  ['settled', { outcome: settled() }, filled],
  [
    'settled, short of the quote',
    { outcome: settled({ shortfallPpb: 2_500_000 }) },
    { ...filled, shortfallPpb: 2_500_000 },
  ],
  [
    'settled, without a quote of the anchor',
    { outcome: settled({ shortfallPpb: null }) },
    { ...filled, shortfallPpb: null },
  ],
  ['settled, with known times', { outcome: settled({ timesKnown: true }) }, { ...filled, timesKnown: 1 }],
  ['failed', { outcome: failed() }, notFilled],
  ['expired', { outcome: expired() }, null],
  ['settled, and its payment unverified', { outcome: settled({ evidence: 'unverified' }) }, null],
  ['failed, and its payment unverified', { outcome: failed({ evidence: 'unverified' }) }, null],
  [
    'settled, but not to be scored',
    { outcome: settled(), scored: false, unscoredReason: 'amount_mismatch' },
    null,
  ],
  [
    'failed, but not to be scored',
    { outcome: failed(), scored: false, unscoredReason: 'amount_mismatch' },
    null,
  ],
  ['settled, of 9.9999999 units', { outcome: settled(), sellAmount: '9.9999999' }, null],
  ['settled, of 10 units', { outcome: settled(), sellAmount: '10' }, filled],
  [
    'settled, and a dispute accepted',
    { outcome: settled({ timesKnown: true }), disputeEffect: 'counts_not_filled' },
    { ...notFilled, ...disputed },
  ],
  [
    'expired with a transaction, and a dispute accepted',
    { outcome: expired(), disputeEffect: 'counts_not_filled' },
    { ...notFilled, ...disputed },
  ],
  [
    "failed, and the anchor's dispute accepted",
    { outcome: failed(), disputeEffect: 'counts_filled' },
    { ...filled, ...untimed, ...disputed },
  ],
  [
    'failed, and a dispute takes it out',
    { outcome: failed(), disputeEffect: 'not_counted' },
    { ...notFilled, notFilled: 0, ...disputed },
  ],
  [
    'settled, disputed, but not to be scored',
    {
      outcome: settled(),
      disputeEffect: 'counts_not_filled',
      scored: false,
      unscoredReason: 'amount_mismatch',
    },
    null,
  ],
  [
    'settled, disputed, but under 10 units',
    { outcome: settled(), disputeEffect: 'counts_not_filled', sellAmount: '1' },
    null,
  ],
];

describe('what an intent contributes', () => {
  it.each(table)('%s', (_name, changes, expected) => {
    expect(contributionOf(aggregatable(changes))).toEqual(expected);
  });

  it('counts on the UTC day of recording, to the millisecond', () => {
    const dayOf = (instant: string) =>
      contributionOf(aggregatable({ outcome: settled({ recordedAt: new Date(instant) }) }))?.day;
    expect(dayOf('2026-11-20T23:59:59.999Z')).toBe('2026-11-20');
    expect(dayOf('2026-11-21T00:00:00.000Z')).toBe('2026-11-21');
  });

  it('never has a shortfall below 0 or above 1', () => {
    const ppbOf = (shortfallPpb: number) =>
      contributionOf(aggregatable({ outcome: settled({ shortfallPpb }) }))?.shortfallPpb;
    expect(ppbOf(-5)).toBe(0);
    expect(ppbOf(3e9)).toBe(1e9);
  });
});
