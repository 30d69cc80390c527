import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { corridorObservations, serviceObservations } from '../../../contract/schemas/observations.js';
import {
  addedUp,
  type CountsBySubject,
  incrementsOf,
  latencyBounds,
  latencyBucketOf,
} from '../../../server/features/observations/counts.rules.js';
import { bucketAt, toCorridor, toService } from '../../../server/features/observations/figures.rules.js';
import {
  type Observation,
  outcomeOf,
  outcomeOfInfo,
  servicesOf,
} from '../../../server/features/observations/observation.rules.js';

const at = new Date('2026-11-21T12:00:00.000Z');
const corridor = 'usdc-ngn';

/** An observation of one corridor, whose price came after `latencyMs`, or failed. */
function observationOf({
  latencyMs,
  costPercent = '1.00',
}: {
  latencyMs: number | null;
  costPercent?: string | null;
}): Observation {
  const answered = latencyMs !== null;
  const outcome = answered ? 'answered' : 'timeout';
  const offer = { tier: 'anchor', rate: '1500', costPercent } as const;
  return {
    at,
    calls: [{ service: 'sep38', corridor, outcome, latencyMs }],
    made: 1,
    corridors: [
      { corridor, asked: true, offer: answered ? offer : null, hasReference: costPercent !== null },
    ],
  };
}

const many = (count: number, observation: Observation) => Array.from({ length: count }, () => observation);

/** The counts as MongoDB adds them up, by their paths. */
function countsOf(observation: Observation): CountsBySubject {
  const trees = Object.entries(incrementsOf(observation)).map(([path, count]) =>
    path.split('.').reduceRight<unknown>((tree, step) => ({ [step]: tree }), count),
  );
  return (addedUp(trees as object[]) as { counts: CountsBySubject }).counts;
}

const figures = (observations: readonly Observation[], hasReference = true) =>
  corridorObservations
    .strict()
    .parse(toCorridor(corridor, { hasReference }, addedUp(observations.map(countsOf))));

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
  it('is kept to a tenth of a per cent, below zero too', () => {
    const lost = (costPercent: string) =>
      countsOf(observationOf({ latencyMs: 10, costPercent }))[corridor]?.losses?.anchor;
    expect(lost('0.95')).toEqual({ sum: 95, buckets: { 10: 1 } });
    expect(lost('-0.26')).toEqual({ sum: -26, buckets: { '-3': 1 } });
    expect(bucketAt({ '-3': 1, '9': 1 }, 50)).toBe(-3);
  });
});

const own = observationOf({ latencyMs: 10 });
const failed = observationOf({ latencyMs: null });
/** Of an anchor that was not asked for a price of its own. */
const unasked = (offer: Observation['corridors'][number]['offer']): Observation => ({
  ...own,
  calls: [],
  corridors: [{ corridor, hasReference: true, asked: false, offer }],
});
const nothing = { availability: null, latencyMs: null, fromMidMarket: null };
const because = (reason: string) => ({
  availabilityUnavailable: reason,
  latencyUnavailable: reason,
  fromMidMarketUnavailable: reason,
});
const percents = { p50Percent: '1.0', p95Percent: '1.0' };
const twoPercent = { p50Percent: '2.0', p95Percent: '2.0' };

describe('the figures of a corridor', () => {
  it.each<[string, Observation[], object]>([
    ['nothing', [], { observations: 0, ...nothing, ...because('not_observed') }],
    ['too little', many(19, own), { observations: 19, ...nothing, ...because('too_few_observations') }],
    [
      'the fewest observations',
      [...many(18, own), ...many(2, observationOf({ latencyMs: 1_000, costPercent: '-0.50' }))],
      {
        observations: 20,
        availability: '1.0000',
        latencyMs: { p50: 10, p95: 1012 },
        fromMidMarket: { tier: 'anchor', quotes: 20, meanPercent: '0.85', ...percents },
      },
    ],
    [
      'a failure, which has no latency',
      [...many(19, own), failed],
      { observations: 20, availability: '0.9500', latencyUnavailable: 'too_few_observations' },
    ],
    [
      'a price that nobody can pay',
      [...many(20, own), observationOf({ latencyMs: 10, costPercent: '-999999999.00' })],
      { fromMidMarket: { tier: 'anchor', quotes: 20, meanPercent: '1.00', ...percents } },
    ],
    ['an anchor without price and fee', many(20, unasked(null)), { observations: 0, ...because('no_price') }],
    [
      'an estimate, which takes no call',
      many(20, unasked({ tier: 'estimate', rate: '1480', costPercent: '2.00' })),
      {
        observations: 0,
        availabilityUnavailable: 'no_price',
        fromMidMarket: { tier: 'estimate', quotes: 20, meanPercent: '2.00', ...twoPercent },
      },
    ],
  ])('of %s', (_name, observations, expected) => {
    expect(figures(observations)).toMatchObject(expected);
  });

  it('have no distance from the mid-market without a reference rate', () => {
    const observations = many(20, observationOf({ latencyMs: 10, costPercent: null }));
    const unknown = { fromMidMarket: null, fromMidMarketUnavailable: 'no_reference' };
    expect(figures(observations, false)).toMatchObject(unknown);
  });
});

describe('the figures of a service', () => {
  it('tell how its calls failed', () => {
    const observations = [
      ...many(30, observationOf({ latencyMs: 10 })),
      ...many(10, observationOf({ latencyMs: null })),
    ];
    const sums = addedUp(observations.map(countsOf));
    const latest = { service: 'sep38', at, outcome: 'timeout', latencyMs: null } as const;
    expect(serviceObservations.strict().parse(toService(latest, sums))).toMatchObject({
      observations: 40,
      availability: '0.7500',
      latencyMs: { p50: 10, p95: 10 },
      failures: { timeout: 10, error: 0 },
      latest: { outcome: 'timeout' },
    });
  });
});

it('the services of an anchor are those that were asked within a week, in the order of their standards', () => {
  const askedBefore = (ms: number) =>
    ({ at: new Date(at.getTime() - ms), outcome: 'answered', latencyMs: 1 }) as const;
  const weekMs = 7 * 86_400_000;
  const services = { sep38: askedBefore(0), sep6: askedBefore(weekMs), sep24: askedBefore(weekMs - 1) };
  const found = servicesOf({ _id: 'a', firstObservedAt: at, observedAt: at, services });
  expect(found.map(({ service }) => service)).toEqual(['sep24', 'sep38']);
});

describe('an answer is judged', () => {
  interface Outcome {
    name: string;
    status: number;
    text: string;
    missing: boolean;
    outcome: string;
  }
  const file = new URL('../../vectors/observations.json', import.meta.url);
  const { outcomes }: { outcomes: Outcome[] } = JSON.parse(readFileSync(file, 'utf8'));
  const received = (status: number, text: string) => ({
    status,
    body: Buffer.from(text),
    json: text.startsWith('{') ? JSON.parse(text) : undefined,
  });

  it.each(outcomes)('$name', ({ status, text, missing, outcome }) => {
    expect(outcomeOf(received(status, text), { missing })).toBe(outcome);
  });

  it.each([
    ['sep24', 200, '{"withdraw":{"USDC":{"enabled":true}}}', 'answered'],
    ['sep6', 200, '{"deposit":{}}', 'malformed'],
    ['sep38', 200, '{"assets":[]}', 'answered'],
    ['sep38', 200, '{"withdraw":{}}', 'malformed'],
    ['sep24', 200, '<!doctype html>', 'not_json'],
    // A quote server need not have an /info, and a transfer server must.
    ['sep38', 404, '', 'answered'],
    ['sep24', 404, '', 'error'],
  ] as const)('/info of %s with %i %s is %s', (service, status, text, outcome) => {
    expect(outcomeOfInfo(service, received(status, text))).toBe(outcome);
  });
});
