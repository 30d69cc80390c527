import type { CallOutcome, ObservedService } from '../../../contract/schemas/observations.js';
import type { FleetAnchor } from '../anchors/fleet-file.rules.js';
import type { ReferenceOffer } from '../rates/reference-offer.rules.js';
import type { Observation } from './observation.rules.js';

/** What is known of an anchor after the rounds so far, as it is stored. */
export interface ObservedAnchor {
  /** The anchor id. */
  _id: string;
  firstObservedAt: Date;
  observedAt: Date;
  services: LatestOfService[];
  corridors: LatestOfCorridor[];
}

export interface LatestOfService {
  service: ObservedService;
  at: Date;
  outcome: CallOutcome;
  latencyMs: number | null;
}

export interface LatestOfCorridor {
  corridor: string;
  quote: (ReferenceOffer & { at: Date }) | null;
  /** Whether there was a reference exchange rate. */
  hasReference: boolean;
}

const order: readonly ObservedService[] = ['sep1', 'sep24', 'sep6', 'sep38'];
/** A service that was not asked for this long is none of the anchor's any more. */
const forgottenAfterMs = 7 * 86_400_000;

/** The anchor after a round. What the round did not ask keeps its state, while the anchor serves the corridor. */
export function afterRound(
  before: ObservedAnchor | undefined,
  { at, calls, corridors }: Observation,
  anchor: Pick<FleetAnchor, 'id' | 'corridors'>,
): ObservedAnchor {
  const services = order.flatMap((service): LatestOfService[] => {
    const own = calls.filter((call) => call.service === service);
    if (own.length === 0) {
      const known = before?.services.find((each) => each.service === service);
      return known !== undefined && at.getTime() - known.at.getTime() < forgottenAfterMs ? [known] : [];
    }
    const failed = own.find(({ outcome }) => outcome !== 'answered');
    const times = own.flatMap(({ latencyMs }) => latencyMs ?? []);
    const latencyMs = times.length === 0 ? null : Math.max(...times);
    return [{ service, at, outcome: failed?.outcome ?? 'answered', latencyMs }];
  });
  const latest = anchor.corridors.map(({ id: corridor }): LatestOfCorridor => {
    const known = before?.corridors.find((each) => each.corridor === corridor);
    const now = corridors.find((each) => each.corridor === corridor);
    const quote = now?.offer ? { at, ...now.offer } : (known?.quote ?? null);
    return { corridor, quote, hasReference: now?.hasReference ?? known?.hasReference ?? false };
  });
  const firstObservedAt = before?.firstObservedAt ?? at;
  return { _id: anchor.id, firstObservedAt, observedAt: at, services, corridors: latest };
}
