import { Decimal } from 'decimal.js';
import {
  type CorridorObservations,
  fewestObservations,
  type ServiceObservations,
  type UnobservedReason,
} from '../../../contract/schemas/observations.js';
import { type Counts, type CountsBySubject, sumOf } from './counts.rules.js';
import { bucketAt, latencyBounds, totalOf } from './histogram.rules.js';
import type { LatestOfCorridor, LatestOfService } from './store.js';

const percentPlaces = 2;

export function toService(latest: LatestOfService, days: readonly CountsBySubject[]): ServiceObservations {
  const { service, at, outcome, latencyMs } = latest;
  const counts = sumOf(days, service);
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
  days: readonly CountsBySubject[],
): CorridorObservations {
  const counts = sumOf(days, corridor);
  const quote = latest?.quote ?? null;
  const isObserved = days.some((day) => day[corridor] !== undefined);
  const unpriced = isObserved ? 'no_price' : 'not_observed';
  const uncompared = isObserved && latest?.hasReference === false ? 'no_reference' : unpriced;
  return {
    corridor,
    ...figuresOf(counts, unpriced),
    lastQuote: quote && { ...quote, at: quote.at.toISOString() },
    ...fromMidMarket(counts, uncompared),
  };
}

/** `never`: the reason to give if there are no observations at all. */
function figuresOf({ asked, answered, latency }: Required<Counts>, never: UnobservedReason) {
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
  { losses: { anchor, estimate } }: Required<Counts>,
  never: UnobservedReason,
): Pick<CorridorObservations, 'fromMidMarket' | 'fromMidMarketUnavailable'> {
  const tier = totalOf(anchor?.buckets) > 0 ? 'anchor' : 'estimate';
  const { sum, buckets } = (tier === 'anchor' ? anchor : estimate) ?? { sum: 0, buckets: {} };
  const quotes = totalOf(buckets);
  const missing = tooFew(quotes, never);
  if (missing !== null) return { fromMidMarket: null, fromMidMarketUnavailable: missing };
  const at = (percent: number) => signed(new Decimal(bucketAt(buckets, percent) ?? 0).div(10), 1);
  const meanPercent = signed(new Decimal(sum).div(100).div(quotes), percentPlaces);
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
