import type { QuoteTier } from '../../../contract/schemas/rates.js';
import { type Histogram, latencyBucketOf } from './histogram.rules.js';
import type { Call, Observation } from './observation.rules.js';

/** Counts for a service of an anchor, or for a corridor that it serves. What would be empty is not stored. */
export interface Counts {
  /** Rounds in which the service or corridor was asked. */
  asked: number;
  /** Rounds in which every call was answered; for a corridor, with a valid price. */
  answered: number;
  /** The number of calls per outcome other than `answered`. */
  failures?: Histogram;
  latency?: Histogram;
  /** What the anchor's own prices lose against the mid-market, and what the estimates do. */
  losses?: Readonly<Partial<Record<QuoteTier, Losses>>>;
}

export interface Losses {
  /** In hundredths of a per cent. */
  sum: number;
  /** The number of quotes per tenth of a per cent. */
  buckets: Histogram;
}

/** By service (`sep38`) or corridor (`usdc-ngn`). */
export type CountsBySubject = Readonly<Record<string, Counts>>;

/** A quote further than this from the mid-market, in per cent, is none that anybody could take: it would distort the mean. */
const furthestPercent = 1_000;

/** What a round adds to the counts of its day. */
export function countsOf({ calls, corridors }: Observation): CountsBySubject {
  const services = [...new Set(calls.map(({ service }) => service))].map((service): [string, Counts] => {
    const own = calls.filter((call) => call.service === service);
    return [service, { asked: 1, answered: Number(own.every(isAnswered)), ...countsOfCalls(own) }];
  });
  const served = corridors.map(({ corridor, asked, offer }): [string, Counts] => {
    const own = countsOfCalls(calls.filter((call) => call.corridor === corridor));
    const answered = Number(offer?.tier === 'anchor');
    return [corridor, { asked: Number(asked), answered, ...own, losses: lossesOf(offer) }];
  });
  return Object.fromEntries([...services, ...served]);
}

function isAnswered({ outcome }: Call): boolean {
  return outcome === 'answered';
}

function countsOfCalls(calls: readonly Call[]): Pick<Counts, 'failures' | 'latency'> {
  return addedUp(
    calls.map((call) =>
      isAnswered(call)
        ? { latency: { [latencyBucketOf(call.latencyMs ?? 0)]: 1 } }
        : { failures: { [call.outcome]: 1 } },
    ),
  );
}

function lossesOf(offer: Observation['corridors'][number]['offer']): NonNullable<Counts['losses']> {
  if (offer === null || offer.costPercent === null) return {};
  const lost = Number(offer.costPercent);
  if (Math.abs(lost) > furthestPercent) return {};
  return { [offer.tier]: { sum: Math.round(lost * 100), buckets: { [Math.round(lost * 10)]: 1 } } };
}

/** The sum of counts of the same form, such as those of several days: number by number, where each is. */
export function addedUp<Tree extends object>(trees: readonly Tree[]): Partial<Tree> {
  const sum: Record<string, unknown> = {};
  for (const [name, value] of trees.flatMap((tree) => Object.entries(tree))) {
    const known = sum[name];
    sum[name] =
      typeof value === 'number' ? Number(known ?? 0) + value : addedUp([(known ?? {}) as object, value]);
  }
  return sum as Partial<Tree>;
}
