import { z } from 'zod';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import { readStellarToml } from '../../../contract/anchor-documents/stellar-toml.js';
import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import type { ReferenceOffer } from '../rates/reference-offer.rules.js';

/** One call to an anchor and its outcome. */
export interface Call {
  service: ObservedService;
  /** The corridor whose price was requested; null for other calls. */
  corridor: string | null;
  outcome: CallOutcome;
  /** Null without an answer. */
  latencyMs: number | null;
}

/** What one round observed of one anchor. */
export interface Observation {
  at: Date;
  calls: readonly Call[];
  /** How many calls were made, those to services that asked for a pause included. */
  made: number;
  corridors: readonly {
    corridor: string;
    /** Whether the anchor was asked for its own price. If it has none for the pair, the offer is an estimate. */
    asked: boolean;
    offer: ReferenceOffer | null;
    /** Whether there was a reference exchange rate. */
    hasReference: boolean;
  }[];
}

/** What is known of an anchor after the rounds so far, as it is stored. */
export interface ObservedAnchor {
  /** The anchor id. */
  _id: string;
  firstObservedAt: Date;
  observedAt: Date;
  services?: Partial<Record<ObservedService, LatestOfService>>;
  corridors?: Record<string, LatestOfCorridor>;
}

/** The outcome of a round's calls to a service, and how long the slowest answer took. */
export interface LatestOfService extends Pick<Call, 'outcome' | 'latencyMs'> {
  at: Date;
}

export interface LatestOfCorridor {
  quote?: ReferenceOffer & { at: Date };
  hasReference: boolean;
}

const order: readonly ObservedService[] = ['sep1', 'sep24', 'sep6', 'sep38'];
/** A service that was not asked for this long is none of the anchor's any more. */
const forgottenAfterMs = 7 * 86_400_000;

/** The services of an anchor, in the order of their standards. */
export function servicesOf({ services = {}, observedAt }: ObservedAnchor) {
  return order.flatMap((service) => {
    const latest = services[service];
    const isForgotten =
      latest !== undefined && observedAt.getTime() - latest.at.getTime() >= forgottenAfterMs;
    return latest === undefined || isForgotten ? [] : [{ service, ...latest }];
  });
}

/** The response to a call. `json` is undefined if the body is not JSON. */
export interface Received {
  status: number;
  body: Buffer;
  json: unknown;
}

const transferInfo = z.object({ withdraw: z.record(z.string(), z.unknown()) });
const quoteInfo = z.object({ assets: z.array(z.unknown()).max(1_000) });

/**
 * The outcome of a call that expects JSON, apart from the meaning of the answer: a refusal with a 4xx status is an answer,
 * which older dialects give as a web page. `missing` says whether a 404 means that a required resource is missing.
 */
export function outcomeOf({ status, json }: Received, { missing }: { missing: boolean }): CallOutcome {
  if (status === 200) return json === undefined ? 'not_json' : 'answered';
  if (status === 404 && missing) return 'error';
  return status >= 400 && status < 500 ? 'answered' : 'error';
}

/** The outcome of a call to the /info of a server. A quote server need not have one to give prices. */
export function outcomeOfInfo(service: 'sep24' | 'sep6' | 'sep38', received: Received): CallOutcome {
  const outcome = outcomeOf(received, { missing: service !== 'sep38' });
  if (outcome !== 'answered' || received.status !== 200) return outcome;
  const info = service === 'sep38' ? quoteInfo : transferInfo;
  return info.safeParse(received.json).success ? 'answered' : 'malformed';
}

/** The outcome of a call for the stellar.toml at `url`. */
export function outcomeOfToml(url: string, { status, body }: Received): CallOutcome {
  if (status !== 200) return 'error';
  const toml = readStellarToml(body, { readOver: url.startsWith('http:') ? 'http' : 'https' });
  return isRefused(toml) ? 'malformed' : 'answered';
}

/** What a round changes of what is known, by its path in `ObservedAnchor`. What it did not ask stays as it is. */
export function changesOf({ at, calls, corridors }: Observation): Record<string, unknown> {
  const services = [...new Set(calls.map(({ service }) => service))].map((service) => {
    const own = calls.filter((call) => call.service === service);
    const outcome = own.find((call) => call.outcome !== 'answered')?.outcome ?? 'answered';
    const times = own.flatMap(({ latencyMs }) => latencyMs ?? []);
    return [
      `services.${service}`,
      { at, outcome, latencyMs: times.length === 0 ? null : Math.max(...times) },
    ];
  });
  const served = corridors.flatMap(({ corridor, offer, hasReference }) => [
    [`corridors.${corridor}.hasReference`, hasReference],
    ...(offer === null ? [] : [[`corridors.${corridor}.quote`, { at, ...offer }]]),
  ]);
  return Object.fromEntries([['observedAt', at], ...services, ...served]);
}
