import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import type { ReferenceOffer } from '../rates/reference-offer.rules.js';

/** What one round observed of one anchor. */
export interface Observation {
  at: Date;
  calls: readonly Call[];
  /** How many calls were made, those to services that asked for a pause included. */
  made: number;
  corridors: readonly CorridorObservation[];
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

export interface CorridorObservation {
  corridor: string;
  /** Whether the anchor was asked for its own price. If it has none for the pair, the offer is an estimate. */
  asked: boolean;
  offer: ReferenceOffer | null;
  /** Whether there was a reference exchange rate. */
  hasReference: boolean;
}
