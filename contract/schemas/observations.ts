import { z } from 'zod';
import { anchorStatus } from './anchors.js';
import {
  anchorId,
  corridorId,
  decimalAnswer,
  enumOfMeanings,
  instant,
  mayGrow,
  signedDecimalAnswer,
} from './primitives.js';
import { quoteTier } from './rates.js';

const observationWindows = [7, 30, 90] as const;

/** With fewer than these a figure says more about chance than about the anchor, and is null. */
export const fewestObservations = 20;

/** The services of an anchor that are observed, by the standard that describes them. */
const observedServices = {
  sep1: 'Its stellar.toml.',
  sep24: 'The `/info` of its SEP-24 transfer server.',
  sep6: 'The `/info` of its SEP-6 transfer server.',
  sep38: 'Its SEP-38 quote server: `/info` and `/price`.',
} as const;

export const observedService = enumOfMeanings(observedServices);
export type ObservedService = z.infer<typeof observedService>;

/** How a call ended. All but `answered` count against the availability. */
const callOutcomes = {
  answered: 'It answered as the standard says; a refusal counts as an answer.',
  timeout: 'The answer had not arrived within 2 seconds, the time that a request for rates gives it.',
  unreachable: 'No connection to it could be made, or it closed the connection without an answer.',
  blocked: 'Its address is one that this service must not call.',
  not_json: 'It answered something other than JSON, such as a web page, where JSON is due.',
  malformed: 'Its answer was too large, or not what the standard describes.',
  error: 'It answered with an error of its own.',
} as const;

export const callOutcome = mayGrow(enumOfMeanings(callOutcomes));
export type CallOutcome = z.infer<typeof callOutcome>;

/** Why a figure is null. */
export const unobservedReasons = {
  not_observed: 'Nothing of it was observed in this window.',
  too_few_observations: `There are fewer than ${fewestObservations} observations in this window.`,
  no_price: 'It gave no price of its own in this window; an estimate needs no call that could be observed.',
  no_reference: 'There is no reference exchange rate to compare with.',
} as const;

export type UnobservedReason = keyof typeof unobservedReasons;

const unobserved = mayGrow(enumOfMeanings(unobservedReasons)).nullable();
const count = z.number().int().min(0);
const share = z.string().regex(/^(0\.\d{4}|1\.0000)$/);

const latency = z
  .object({
    p50: count.describe('Half of the answers took no longer, in milliseconds.'),
    p95: count.describe('95 of 100 answers took no longer, in milliseconds.'),
  })
  .describe(
    'How long the answers took, connection included, to within 5 %. Calls without an answer are not included.',
  );

const figures = {
  observations: count.describe('How many observations of this window the figures are computed from.'),
  availability: share.nullable().describe('The share that succeeded, 0 to 1, with four places; or null.'),
  availabilityUnavailable: unobserved.describe('Why the availability is null, or null.'),
  latencyMs: latency.nullable(),
  latencyUnavailable: unobserved.describe('Why the latency is null, or null.'),
};

const failures = z
  .object({
    timeout: count.describe(callOutcomes.timeout),
    unreachable: count.describe(callOutcomes.unreachable),
    blocked: count.describe(callOutcomes.blocked),
    not_json: count.describe(callOutcomes.not_json),
    malformed: count.describe(callOutcomes.malformed),
    error: count.describe(callOutcomes.error),
  })
  .describe('How many calls ended in each way that is not an answer.');

export const serviceObservations = z
  .object({
    service: observedService,
    ...figures,
    failures,
    latest: z
      .object({
        at: instant.describe('When it was last asked.'),
        outcome: callOutcome,
        latencyMs: count
          .nullable()
          .describe('How long the slowest answer of that round took; null without one.'),
      })
      .describe('The result of the latest round.'),
  })
  .describe('One service of the anchor.');
export type ServiceObservations = z.infer<typeof serviceObservations>;

export const corridorObservations = z
  .object({
    corridor: corridorId,
    ...figures,
    lastQuote: z
      .object({
        at: instant.describe('When it was observed.'),
        tier: quoteTier,
        rate: decimalAnswer.describe('Fiat per one stablecoin at the reference amount, all fees included.'),
        costPercent: signedDecimalAnswer
          .nullable()
          .describe('What it loses against the mid-market, in per cent; null without a reference rate.'),
      })
      .nullable()
      .describe('The latest quote at the reference amount, or null.'),
    fromMidMarket: z
      .object({
        tier: quoteTier,
        quotes: count.describe('How many quotes were compared.'),
        meanPercent: signedDecimalAnswer.describe('The mean of what they lose, in per cent with two places.'),
        p50Percent: signedDecimalAnswer.describe('Half of them lose no more, to a tenth of a per cent.'),
        p95Percent: signedDecimalAnswer.describe('95 of 100 lose no more, to a tenth of a per cent.'),
      })
      .nullable()
      .describe(
        'What its quotes lose against the mid-market, all fees included; below zero where they pay more.',
      ),
    fromMidMarketUnavailable: unobserved.describe('Why `fromMidMarket` is null, or null.'),
  })
  .describe('What is observed in one corridor, at its reference amount.');
export type CorridorObservations = z.infer<typeof corridorObservations>;

export const anchorObservations = z
  .object({
    anchorId,
    anchorName: z.string().describe('The name people know the anchor by.'),
    simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
    status: anchorStatus,
    window: z
      .union([z.literal(7), z.literal(30), z.literal(90)])
      .describe('Days, the present UTC day included.'),
    firstObservedAt: instant.nullable().describe('When it was first observed, or null.'),
    lastObservedAt: instant.nullable().describe('When it was last observed, or null.'),
    services: z.array(serviceObservations).describe('The services that it offers.'),
    corridors: z.array(corridorObservations).describe('The corridors that it serves, by id.'),
  })
  .describe('What was observed of an anchor without any intent. It is not part of the score.');
export type AnchorObservations = z.infer<typeof anchorObservations>;

/** What a round of the observer did. */
export const observerRound = z
  .object({
    startedAt: instant.describe('When it began.'),
    anchors: count.describe('Anchors that were asked.'),
    calls: count.describe('Calls that were made to them.'),
    durationMs: count.describe('How long it took.'),
  })
  .describe('What the round did.');
export type ObserverRound = z.infer<typeof observerRound>;

export type ObservationWindow = (typeof observationWindows)[number];
