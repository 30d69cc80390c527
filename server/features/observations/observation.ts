import type { ObservedService } from '../../../contract/schemas/observations.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import type { FeeSchedule, FxReading } from '../rates/estimate.rules.js';
import type { ReferenceOffer } from '../rates/reference-offer.rules.js';
import type { Call } from './call.rules.js';

/** What one round observed of one anchor. */
export interface Observation {
  atMs: number;
  calls: readonly Call[];
  /** How many calls were made, those to services that asked for a pause included. */
  made: number;
  /** The services that answered with something other than JSON. */
  notJson: ReadonlySet<ObservedService>;
  /** The addresses that were asked. */
  endpoints: AnchorEndpoints;
  /** Whether its stellar.toml was read in this round; false also if it has none. */
  tomlRead: boolean;
  /** The signing key that the anchor shows now, if it differs from the known one; no other service is called then. */
  otherKey: string | null;
  /** The `/info` of each service that was read, parsed. */
  infos: Readonly<Partial<Record<ObservedService, unknown>>>;
  /** The corridors that were observed. */
  corridors: readonly CorridorObservation[];
}

export interface CorridorObservation {
  corridor: string;
  /** Whether the anchor was asked for its own price. If it has none for the pair, the offer is an estimate. */
  asked: boolean;
  offer: ReferenceOffer | null;
  fee: PublishedFee | null;
  market: FxReading;
}

/** The withdrawal fee in the `/info` of a transfer server. */
export interface PublishedFee extends Pick<FeeSchedule, 'source' | 'feeFixed' | 'feePercent' | 'feeMinimum'> {
  /** The whole fee at the reference amount, in per cent of it. */
  percentOfReference: string;
}
