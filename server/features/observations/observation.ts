import type { ObservedService } from '../../../contract/schemas/observations.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import type { FeeSchedule } from '../rates/fee-schedule.rules.js';
import type { FxReading } from '../rates/fx.rules.js';
import type { ReferenceOffer } from '../rates/reference-offer.rules.js';
import type { Call } from './call.rules.js';

/** What one round saw of one anchor. */
export interface Observation {
  atMs: number;
  calls: readonly Call[];
  /** How many calls were made, those to services that asked for a pause included. */
  made: number;
  /** What answered something that is not JSON. */
  notJson: ReadonlySet<ObservedService>;
  /** The addresses that were asked. */
  endpoints: AnchorEndpoints;
  /** Whether its stellar.toml was read now; false also where it has none. */
  tomlRead: boolean;
  /** Another key than the one it came with, which its stellar.toml shows now: nothing else was asked then. */
  otherKey: string | null;
  /** The `/info` of each service that was read, parsed. */
  infos: Readonly<Partial<Record<ObservedService, unknown>>>;
  /** The corridors that were looked at. */
  corridors: readonly CorridorObservation[];
}

export interface CorridorObservation {
  corridor: string;
  /** Whether it was asked for a price of its own. Where it has none for the pair, its offer is an estimate. */
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
