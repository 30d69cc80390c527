import { z } from 'zod';
import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import type { ReferenceOffer } from '../rates/reference-offer.rules.js';

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

/** One call to an anchor and its outcome. */
export interface Call {
  service: ObservedService;
  /** The corridor whose price was requested; null for other calls. */
  corridor: string | null;
  outcome: CallOutcome;
  /** Null without an answer. */
  latencyMs: number | null;
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
