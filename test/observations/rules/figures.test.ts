import { describe, expect, it } from '@jest/globals';
import { corridorObservations, serviceObservations } from '../../../contract/schemas/observations.js';
import { noEndpoints } from '../../../server/features/anchors/sep1.rules.js';
import { toCorridor, toService } from '../../../server/features/observations/answer.rules.js';
import {
  type Counts,
  countsOf,
  type DayCounts,
  sumOf,
} from '../../../server/features/observations/counts.rules.js';
import {
  bucketAt,
  latencyBounds,
  latencyBucketOf,
  percentBucketOf,
} from '../../../server/features/observations/histogram.rules.js';
import type { Observation } from '../../../server/features/observations/observation.js';

const atMs = Date.parse('2026-11-21T12:00:00.000Z');
const corridor = { id: 'usdc-ngn', referenceAmount: '100' };

/** An observation of one corridor, whose price came after `latencyMs`, or failed. */
function observationOf({
  latencyMs,
  costPercent = '1.00',
  rate = '1500',
}: {
  latencyMs: number | null;
  costPercent?: string | null;
  rate?: string;
}): Observation {
  const answered = latencyMs !== null;
  const call = { service: 'sep38', corridor: corridor.id, status: answered ? 200 : null, latencyMs } as const;
  const offer = { tier: 'anchor', rate, costPercent, feePercent: null } as const;
  return {
    atMs,
    calls: [{ ...call, outcome: answered ? 'answered' : 'timeout' }],
    made: 1,
    notJson: new Set(),
    endpoints: noEndpoints,
    tomlRead: true,
    otherKey: null,
    infos: {},
    corridors: [
      {
        corridor: corridor.id,
        asked: true,
        offer: answered ? offer : null,
        fee: null,
        market: { missing: 'no_reference' },
      },
    ],
  };
}

function daysOf(observations: readonly Observation[]): DayCounts[] {
  return observations.flatMap(countsOf).map((counts) => ({ day: '2026-11-21', ...counts }));
}

const many = (count: number, observation: Observation) => Array.from({ length: count }, () => observation);
const figures = (
  observations: readonly Observation[],
  payouts: Parameters<typeof toCorridor>[2]['payouts'] = [],
) =>
  corridorObservations
    .strict()
    .parse(toCorridor(corridor, undefined, { days: daysOf(observations), payouts }));

describe('latency', () => {
  it('is told to within 5 %, and exactly up to 20 ms', () => {
    for (let ms = 1; ms <= 10_000; ms += 1) {
      const told = latencyBounds[latencyBucketOf(ms)] ?? 0;
      expect(told).toBeGreaterThanOrEqual(ms);
      expect(told).toBeLessThanOrEqual(ms <= 20 ? ms : ms * 1.05);
    }
    expect(latencyBounds[latencyBucketOf(60_000)]).toBe(10_000);
  });

  it('has percentiles by nearest rank', () => {
    const histogram = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [index, 1]));
    expect([50, 95, 100].map((percent) => bucketAt(histogram, percent))).toEqual([49, 94, 99]);
    expect(bucketAt({}, 50)).toBeUndefined();
  });
});

describe('what quotes lose', () => {
  it('is kept to a tenth of a per cent, below zero too, and bounded', () => {
    expect([0.94, 0.95, -0.26, 5_000, -5_000].map(percentBucketOf)).toEqual([9, 10, -3, 10_000, -10_000]);
    expect(bucketAt({ '-3': 1, '9': 1 }, 50)).toBe(-3);
  });
});

describe('the figures of a corridor', () => {
  it('are null with a reason below 20 observations', () => {
    expect(figures([])).toMatchObject({
      observations: 0,
      availability: null,
      availabilityUnavailable: 'not_observed',
      latencyUnavailable: 'not_observed',
      fromMidMarketUnavailable: 'not_observed',
      fromPaidUnavailable: 'too_few_payouts',
    });
    expect(figures(many(19, observationOf({ latencyMs: 40 })))).toMatchObject({
      observations: 19,
      availability: null,
      availabilityUnavailable: 'too_few_observations',
      latencyUnavailable: 'too_few_observations',
      fromMidMarket: null,
      fromMidMarketUnavailable: 'too_few_observations',
    });
  });

  it('are there from the twentieth on', () => {
    const observations = [
      ...many(18, observationOf({ latencyMs: 10 })),
      ...many(2, observationOf({ latencyMs: 1_000, costPercent: '-0.50' })),
    ];
    expect(figures(observations)).toMatchObject({
      observations: 20,
      availability: '1.0000',
      latencyMs: { p50: 10, p95: 1012 },
      fromMidMarket: {
        tier: 'anchor',
        quotes: 20,
        meanPercent: '0.85',
        p50Percent: '1.0',
        p95Percent: '1.0',
      },
      fromMidMarketUnavailable: null,
    });
  });

  it('count what did not come against the availability, and not in the latency', () => {
    const observations = [...many(19, observationOf({ latencyMs: 10 })), observationOf({ latencyMs: null })];
    expect(figures(observations)).toMatchObject({
      observations: 20,
      availability: '0.9500',
      latencyMs: null,
      latencyUnavailable: 'too_few_observations',
    });
  });

  it('have no distance from the mid-market without a reference rate', () => {
    const observations = many(20, observationOf({ latencyMs: 10, costPercent: null }));
    expect(figures(observations)).toMatchObject({
      fromMidMarket: null,
      fromMidMarketUnavailable: 'no_reference',
    });
  });

  it('are not spoilt by a price that nobody can pay', () => {
    const observations = [
      ...many(20, observationOf({ latencyMs: 10 })),
      observationOf({ latencyMs: 10, rate: '99999999999', costPercent: '-999999999.00' }),
    ];
    expect(figures(observations)).toMatchObject({ fromMidMarket: { quotes: 20, meanPercent: '1.00' } });
  });

  it('say that an anchor without price and fee has none', () => {
    const [own] = [observationOf({ latencyMs: 10 })];
    const none = own.corridors.map((seen) => ({ ...seen, asked: false, offer: null }));
    expect(figures(many(20, { ...own, calls: [], corridors: none }))).toMatchObject({
      observations: 0,
      availabilityUnavailable: 'no_price',
      fromMidMarketUnavailable: 'no_price',
    });
  });

  it('say that an estimate lacks a reference rate, and tell the fee all the same', () => {
    const fee = {
      source: 'sep24',
      feeFixed: '1',
      feePercent: '1',
      feeMinimum: '0',
      percentOfReference: '2.00',
    } as const;
    const latest = { corridor: corridor.id, quote: null, fee, hasReference: false };
    const unpriced = daysOf(many(20, observationOf({ latencyMs: null })));
    expect(toCorridor(corridor, latest, { days: unpriced, payouts: [] })).toMatchObject({
      fromMidMarket: null,
      fromMidMarketUnavailable: 'no_reference',
      publishedFee: fee,
    });
    const priced = { ...latest, hasReference: true };
    expect(toCorridor(corridor, priced, { days: unpriced, payouts: [] })).toMatchObject({
      fromMidMarketUnavailable: 'no_price',
    });
  });

  it('say that an estimate takes no call', () => {
    const [own] = [observationOf({ latencyMs: 10 })];
    const estimated: Observation = {
      ...own,
      calls: [],
      corridors: own.corridors.map((seen) => ({
        ...seen,
        asked: false,
        offer: { tier: 'estimate', rate: '1480', costPercent: '2.00', feePercent: '2.00' },
      })),
    };
    expect(figures(many(20, estimated))).toMatchObject({
      observations: 0,
      availabilityUnavailable: 'no_price',
      latencyUnavailable: 'no_price',
      fromMidMarket: { tier: 'estimate', quotes: 20, meanPercent: '2.00' },
    });
  });
});

describe('what was paid', () => {
  const quoted = many(20, observationOf({ latencyMs: 10, rate: '1500' }));
  const payout = { paidAt: new Date(atMs), amountIn: '100', amountOut: '147000' };

  it('is compared with the mean quote of its day', () => {
    expect(figures(quoted, many2(10, payout))).toMatchObject({
      fromPaid: { payouts: 10, meanPercent: '-2.00' },
      fromPaidUnavailable: null,
    });
  });

  it('is not compared with nine payouts, on a day without quotes, or at another amount', () => {
    const others = [
      { ...payout, paidAt: new Date(atMs - 86_400_000) },
      { ...payout, amountIn: '49' },
      { ...payout, amountIn: '201' },
    ];
    const found = figures(quoted, [...many2(9, payout), ...others]);
    expect(found).toMatchObject({ fromPaid: null, fromPaidUnavailable: 'too_few_payouts' });
  });

  function many2<T>(count: number, each: T): T[] {
    return Array.from({ length: count }, () => each);
  }
});

describe('the figures of a service', () => {
  it('tell how its calls failed', () => {
    const days = daysOf([
      ...many(30, observationOf({ latencyMs: 10 })),
      ...many(10, observationOf({ latencyMs: null })),
    ]);
    const latest = { service: 'sep38', at: new Date(atMs), outcome: 'timeout', latencyMs: null } as const;
    expect(serviceObservations.strict().parse(toService(latest, days))).toMatchObject({
      observations: 40,
      availability: '0.7500',
      latencyMs: { p50: 10, p95: 10 },
      failures: { timeout: 10, error: 0 },
      latest: { outcome: 'timeout' },
    });
  });
});

it('adds the counts of days to the same sum in any order', () => {
  const days = daysOf([
    observationOf({ latencyMs: 10 }),
    observationOf({ latencyMs: null }),
    observationOf({ latencyMs: 90 }),
  ]);
  const counts: Counts[] = days.filter(({ about }) => about === 'sep38').map((day) => day.counts);
  expect(sumOf(counts)).toEqual(sumOf([...counts].reverse()));
});
