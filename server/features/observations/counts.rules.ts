import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import { added, type Histogram, latencyBucketOf, percentBucketOf } from './histogram.rules.js';
import type { Observation } from './observation.js';

/** Counts of one UTC day for a service of an anchor, or for a corridor that it serves. */
export interface Counts {
  /** Rounds in which the service or corridor was asked. */
  asked: number;
  /** Rounds in which every call was answered; for a corridor, with a valid price. */
  answered: number;
  /** The number of calls per outcome other than `answered`. */
  failures: Histogram;
  latency: Histogram;
  /** Quotes by tier. */
  quotes: Readonly<Partial<Record<Tier, QuoteCounts>>>;
}

export type Tier = 'anchor' | 'estimate';

export interface QuoteCounts {
  quotes: number;
  /** The sum of the rates, in millionths of a currency unit. */
  rateMicros: number;
  /** Quotes that could be compared with a reference rate. What they lose follows: the sum, and their number per bucket. */
  compared: number;
  lostHundredths: number;
  lost: Histogram;
}

/** A roll-up of a day, without its anchor. */
export interface DayCounts {
  /** UTC. */
  day: string;
  about: ObservedService | `corridor ${string}`;
  counts: Counts;
}

/** Quotes above this rate are ignored: nobody pays this much for one stablecoin, and they would distort the mean. */
const absurdRate = 1_000_000_000;

const noCounts: Counts = { asked: 0, answered: 0, failures: {}, latency: {}, quotes: {} };

/** What a round adds to the roll-ups of its day. */
export function countsOf(observation: Observation): Omit<DayCounts, 'day'>[] {
  const services = [...new Set(observation.calls.map(({ service }) => service))];
  return [
    ...services.map((service) => {
      const calls = observation.calls.filter((call) => call.service === service);
      return { about: service, counts: countsOfCalls(calls) };
    }),
    ...observation.corridors.map((seen) => {
      const calls = observation.calls.filter(({ corridor }) => corridor === seen.corridor);
      const { asked, offer } = seen;
      const counts: Counts = {
        asked: asked ? 1 : 0,
        answered: offer?.tier === 'anchor' ? 1 : 0,
        failures: failuresOf(calls),
        latency: latencyOf(calls),
        quotes: quotesOf(offer),
      };
      return { about: `corridor ${seen.corridor}` as const, counts };
    }),
  ];
}

type Calls = readonly { outcome: CallOutcome; latencyMs: number | null }[];

function countsOfCalls(calls: Calls): Counts {
  const answered = calls.every(({ outcome }) => outcome === 'answered');
  return {
    ...noCounts,
    asked: 1,
    answered: answered ? 1 : 0,
    failures: failuresOf(calls),
    latency: latencyOf(calls),
  };
}

function failuresOf(calls: Calls): Histogram {
  return tally(calls.flatMap(({ outcome }) => (outcome === 'answered' ? [] : [outcome])));
}

function latencyOf(calls: Calls): Histogram {
  const answered = calls.filter(({ outcome }) => outcome === 'answered');
  return tally(answered.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyBucketOf(latencyMs)])));
}

function quotesOf(offer: Observation['corridors'][number]['offer']): Counts['quotes'] {
  if (offer === null || Number(offer.rate) > absurdRate) return {};
  const { tier, rate, costPercent } = offer;
  const lost = costPercent === null ? undefined : Number(costPercent);
  return {
    [tier]: {
      quotes: 1,
      rateMicros: Math.round(Number(rate) * 1e6),
      compared: lost === undefined ? 0 : 1,
      lostHundredths: lost === undefined ? 0 : Math.round(lost * 100),
      lost: lost === undefined ? {} : { [percentBucketOf(lost)]: 1 },
    },
  };
}

function tally(values: readonly (string | number)[]): Histogram {
  return values.reduce<Histogram>((counts, value) => added(counts, { [value]: 1 }), {});
}

export function sumOf(all: readonly Counts[]): Counts {
  return all.reduce(
    (sum, each) => ({
      asked: sum.asked + each.asked,
      answered: sum.answered + each.answered,
      failures: added(sum.failures, each.failures),
      latency: added(sum.latency, each.latency),
      quotes: sumOfQuotes(sum.quotes, each.quotes),
    }),
    noCounts,
  );
}

function sumOfQuotes(one: Counts['quotes'], other: Counts['quotes']): Counts['quotes'] {
  const sum: Partial<Record<Tier, QuoteCounts>> = { ...one };
  for (const tier of ['anchor', 'estimate'] as const) {
    const [a, b] = [one[tier], other[tier]];
    if (a === undefined || b === undefined) {
      if (b !== undefined) sum[tier] = b;
      continue;
    }
    sum[tier] = {
      quotes: a.quotes + b.quotes,
      rateMicros: a.rateMicros + b.rateMicros,
      compared: a.compared + b.compared,
      lostHundredths: a.lostHundredths + b.lostHundredths,
      lost: added(a.lost, b.lost),
    };
  }
  return sum;
}
