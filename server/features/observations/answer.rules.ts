import { Decimal } from 'decimal.js';
import {
  type AnchorObservations,
  type CorridorObservations,
  fewestObservations,
  fewestPayouts,
  type ServiceObservations,
  type UnobservedReason,
} from '../../../contract/schemas/observations.js';
import { type Counts, type DayCounts, sumOf } from './counts.rules.js';
import type { Finding } from './findings.rules.js';
import { bucketAt, latencyBounds } from './histogram.rules.js';
import { distancesFromQuotes, type Payout } from './paid.rules.js';
import type { LatestOfCorridor, LatestOfService } from './store.js';

const percentPlaces = 2;

export function toFinding({
  id: _,
  firstSeenAt,
  lastSeenAt,
  ...finding
}: Finding): AnchorObservations['findings'][number] {
  return { ...finding, firstSeenAt: firstSeenAt.toISOString(), lastSeenAt: lastSeenAt.toISOString() };
}

export function toService(latest: LatestOfService, days: readonly DayCounts[]): ServiceObservations {
  const { service, at, outcome, latencyMs } = latest;
  const counts = sumOf(days.filter(({ about }) => about === service).map((day) => day.counts));
  const noFailures = { timeout: 0, unreachable: 0, blocked: 0, not_json: 0, malformed: 0, error: 0 };
  return {
    service,
    ...figuresOf(counts),
    failures: { ...noFailures, ...counts.failures },
    latest: { at: at.toISOString(), outcome, latencyMs },
  };
}

export function toCorridor(
  corridor: { id: string; referenceAmount: string },
  latest: LatestOfCorridor | undefined,
  observed: { days: readonly DayCounts[]; payouts: readonly Payout[] },
): CorridorObservations {
  const days = observed.days.filter(({ about }) => about === `corridor ${corridor.id}`);
  const counts = sumOf(days.map((day) => day.counts));
  const quote = latest?.quote ?? null;
  const unpriced = days.length > 0 ? 'no_price' : 'not_observed';
  // Where a fee is published, only a reference rate can be missing for an estimate.
  const lacksReference = latest !== undefined && latest.fee !== null && !latest.hasReference;
  return {
    corridor: corridor.id,
    ...figuresOf(counts, unpriced),
    lastQuote: quote && { ...quote, at: quote.at.toISOString() },
    ...fromMidMarket(counts, lacksReference ? 'no_reference' : unpriced),
    ...fromPaid(distancesFromQuotes(observed.payouts, days, corridor.referenceAmount)),
    publishedFee: latest?.fee ?? null,
  };
}

/** `never`: the reason to give if there are no observations at all. */
function figuresOf({ asked, answered, latency }: Counts, never: UnobservedReason = 'not_observed') {
  const missing = tooFew(asked, never);
  const answers = Object.values(latency).reduce((sum, count) => sum + count, 0);
  const missingLatency = missing ?? tooFew(answers, 'too_few_observations');
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
  { quotes }: Counts,
  never: UnobservedReason,
): Pick<CorridorObservations, 'fromMidMarket' | 'fromMidMarketUnavailable'> {
  const tier = quotes.anchor === undefined ? 'estimate' : 'anchor';
  const counted = quotes[tier];
  if (counted === undefined) return { fromMidMarket: null, fromMidMarketUnavailable: never };
  const missing = tooFew(counted.compared, 'no_reference');
  if (missing !== null) return { fromMidMarket: null, fromMidMarketUnavailable: missing };
  const at = (percent: number) => signed(new Decimal(bucketAt(counted.lost, percent) ?? 0).div(10), 1);
  const mean = new Decimal(counted.lostHundredths).div(100).div(counted.compared);
  return {
    fromMidMarket: {
      tier,
      quotes: counted.compared,
      meanPercent: signed(mean, percentPlaces),
      p50Percent: at(50),
      p95Percent: at(95),
    },
    fromMidMarketUnavailable: null,
  };
}

function fromPaid(
  distances: readonly Decimal[],
): Pick<CorridorObservations, 'fromPaid' | 'fromPaidUnavailable'> {
  if (distances.length < fewestPayouts) return { fromPaid: null, fromPaidUnavailable: 'too_few_payouts' };
  const mean = distances.reduce((sum, each) => sum.add(each), new Decimal(0)).div(distances.length);
  return {
    fromPaid: { payouts: distances.length, meanPercent: signed(mean, percentPlaces) },
    fromPaidUnavailable: null,
  };
}

/** Formats zero without a minus sign. */
function signed(value: Decimal, places: number): string {
  const rounded = value.toDecimalPlaces(places);
  return (rounded.isZero() ? new Decimal(0) : rounded).toFixed(places);
}
