import { Decimal } from 'decimal.js';
import {
  type CorridorObservations,
  fewestObservations,
  type ServiceObservations,
  type UnobservedReason,
} from '../../../contract/schemas/observations.js';
import { type Counts, type CountsBySubject, type Histogram, latencyBounds } from './counts.rules.js';
import type { LatestOfCorridor, LatestOfService } from './observation.rules.js';

const nothing: Counts = { asked: 0, answered: 0 };

/** `sums` are the counts of the window. */
export function toService(
  { service, at, outcome, latencyMs }: LatestOfService & Pick<ServiceObservations, 'service'>,
  sums: Partial<CountsBySubject>,
): ServiceObservations {
  const counts = sums[service] ?? nothing;
  const noFailures = { timeout: 0, unreachable: 0, blocked: 0, not_json: 0, malformed: 0, error: 0 };
  return {
    service,
    ...figuresOf(counts, 'not_observed'),
    failures: { ...noFailures, ...counts.failures },
    latest: { at: at.toISOString(), outcome, latencyMs },
  };
}

export function toCorridor(
  corridor: string,
  latest: LatestOfCorridor | undefined,
  sums: Partial<CountsBySubject>,
): CorridorObservations {
  const counts = sums[corridor];
  const quote = latest?.quote ?? null;
  const unpriced = counts === undefined ? 'not_observed' : 'no_price';
  const uncompared = counts !== undefined && latest?.hasReference === false ? 'no_reference' : unpriced;
  return {
    corridor,
    ...figuresOf(counts ?? nothing, unpriced),
    lastQuote: quote && { ...quote, at: quote.at.toISOString() },
    ...fromMidMarket(counts ?? nothing, uncompared),
  };
}

/** `never`: the reason to give if there are no observations at all. */
function figuresOf({ asked, answered, latency = {} }: Counts, never: UnobservedReason) {
  const missing = tooFew(asked, never);
  const missingLatency = missing ?? tooFew(totalOf(latency), 'too_few_observations');
  const at = (percent: number) => latencyBounds[bucketAt(latency, percent) ?? 0] ?? 0;
  return {
    observations: asked,
    availability: missing === null ? new Decimal(answered).div(asked).toFixed(4, Decimal.ROUND_DOWN) : null,
    availabilityUnavailable: missing,
    latencyMs: missingLatency === null ? { p50: at(50), p95: at(95) } : null,
    latencyUnavailable: missingLatency,
  };
}

function tooFew(observations: number, never: UnobservedReason): UnobservedReason | null {
  if (observations === 0) return never;
  return observations < fewestObservations ? 'too_few_observations' : null;
}

/** Computed from the anchor's own prices, or from the estimates if there are none. */
function fromMidMarket(
  { losses = {} }: Counts,
  never: UnobservedReason,
): Pick<CorridorObservations, 'fromMidMarket' | 'fromMidMarketUnavailable'> {
  const tier = losses.anchor === undefined ? 'estimate' : 'anchor';
  const { sum, buckets } = losses[tier] ?? { sum: 0, buckets: {} };
  const quotes = totalOf(buckets);
  const missing = tooFew(quotes, never);
  if (missing !== null) return { fromMidMarket: null, fromMidMarketUnavailable: missing };
  const at = (percent: number) => signed(new Decimal(bucketAt(buckets, percent) ?? 0).div(10), 1);
  const meanPercent = signed(new Decimal(sum).div(100).div(quotes), 2);
  return {
    fromMidMarket: { tier, quotes, meanPercent, p50Percent: at(50), p95Percent: at(95) },
    fromMidMarketUnavailable: null,
  };
}

/** Formats zero without a minus sign. */
function signed(value: Decimal, places: number): string {
  const rounded = value.toDecimalPlaces(places);
  return (rounded.isZero() ? new Decimal(0) : rounded).toFixed(places);
}

/** The bucket that holds the value of rank ⌈percent · n / 100⌉ (nearest rank); undefined without values. */
export function bucketAt(histogram: Histogram, percent: number): number | undefined {
  const rank = Math.ceil((totalOf(histogram) * percent) / 100);
  const inOrder = Object.keys(histogram).map(Number);
  inOrder.sort((a, b) => a - b);
  let seen = 0;
  return inOrder.find((bucket) => {
    seen += histogram[bucket] ?? 0;
    return seen >= rank;
  });
}

function totalOf(histogram: Histogram): number {
  return Object.values(histogram).reduce((sum, count) => sum + count, 0);
}
