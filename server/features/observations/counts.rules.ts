import type { QuoteTier } from '../../../contract/schemas/rates.js';
import { added, type Histogram, latencyBucketOf, tally } from './histogram.rules.js';
import type { Call, CorridorObservation, Observation } from './observation.js';

/** Counts for a service of an anchor, or for a corridor that it serves. A histogram without values is not stored. */
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
  const services = [...new Set(calls.map(({ service }) => service))];
  return Object.fromEntries([
    ...services.map((service): [string, Counts] => {
      const own = calls.filter((call) => call.service === service);
      const answered = own.every(({ outcome }) => outcome === 'answered') ? 1 : 0;
      return [service, { asked: 1, answered, ...countsOfCalls(own) }];
    }),
    ...corridors.map(({ corridor, asked, offer }): [string, Counts] => {
      const own = calls.filter((call) => call.corridor === corridor);
      const answered = offer?.tier === 'anchor' ? 1 : 0;
      const losses = lossesOf(offer);
      return [corridor, { asked: asked ? 1 : 0, answered, ...countsOfCalls(own), losses }];
    }),
  ]);
}

function countsOfCalls(calls: readonly Call[]): Pick<Counts, 'failures' | 'latency'> {
  const isAnswered = ({ outcome }: Call) => outcome === 'answered';
  const failed = calls.filter((call) => !isAnswered(call));
  return {
    failures: tally(failed.map(({ outcome }) => outcome)),
    latency: tally(calls.filter(isAnswered).map(({ latencyMs }) => latencyBucketOf(latencyMs ?? 0))),
  };
}

function lossesOf(offer: CorridorObservation['offer']): NonNullable<Counts['losses']> {
  if (offer === null || offer.costPercent === null) return {};
  const lost = Number(offer.costPercent);
  if (Math.abs(lost) > furthestPercent) return {};
  return { [offer.tier]: { sum: Math.round(lost * 100), buckets: { [Math.round(lost * 10)]: 1 } } };
}

/** The counts of one subject over several days. */
export function sumOf(days: readonly CountsBySubject[], subject: string): Required<Counts> {
  const all = days.flatMap((day) => day[subject] ?? []);
  const total = (number: (counts: Counts) => number) => all.reduce((sum, counts) => sum + number(counts), 0);
  const histogram = (of: (counts: Counts) => Histogram | undefined) =>
    all.reduce<Histogram>((sum, counts) => added(sum, of(counts)), {});
  const lossesIn = (tier: QuoteTier) => ({
    sum: total(({ losses }) => losses?.[tier]?.sum ?? 0),
    buckets: histogram(({ losses }) => losses?.[tier]?.buckets),
  });
  return {
    asked: total(({ asked }) => asked),
    answered: total(({ answered }) => answered),
    failures: histogram(({ failures }) => failures),
    latency: histogram(({ latency }) => latency),
    losses: { anchor: lossesIn('anchor'), estimate: lossesIn('estimate') },
  };
}
