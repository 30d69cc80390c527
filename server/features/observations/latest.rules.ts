import type { Observation } from './observation.js';
import { isOffered } from './shown-terms.rules.js';
import type { LatestOfCorridor, LatestOfService, ObservedAnchor } from './store.js';

/** The latest state of an anchor's services and corridors; those that this observation did not check keep their state. */
export function latestOf(
  before: Pick<ObservedAnchor, 'services' | 'corridors'> | undefined,
  observation: Observation,
  served: readonly string[],
): Pick<ObservedAnchor, 'services' | 'corridors'> {
  const services = [...new Set(observation.calls.map(({ service }) => service))].map((service) =>
    latestOfService(service, observation),
  );
  const seen = new Map(observation.corridors.map((each) => [each.corridor, each]));
  const corridors = served.map((corridor): LatestOfCorridor => {
    const known = before?.corridors.find((each) => each.corridor === corridor);
    const now = seen.get(corridor);
    if (now === undefined) return known ?? { corridor, quote: null, fee: null, hasReference: false };
    const { offer, fee, market } = now;
    const at = new Date(observation.atMs);
    const quote = offer && { at, tier: offer.tier, rate: offer.rate, costPercent: offer.costPercent };
    const wasRead = observation.infos.sep24 !== undefined || observation.infos.sep6 !== undefined;
    return {
      corridor,
      quote: quote ?? known?.quote ?? null,
      fee: wasRead ? fee : (known?.fee ?? null),
      hasReference: !('missing' in market),
    };
  });
  const asked = new Set(services.map(({ service }) => service));
  const others = (before?.services ?? []).filter(
    ({ service }) => !asked.has(service) && isOffered(service, observation.endpoints),
  );
  return { services: inOrder([...services, ...others]), corridors };
}

function latestOfService(service: LatestOfService['service'], { calls, atMs }: Observation): LatestOfService {
  const own = calls.filter((call) => call.service === service);
  const failed = own.find(({ outcome }) => outcome !== 'answered');
  const times = own.flatMap(({ latencyMs }) => latencyMs ?? []);
  return {
    service,
    at: new Date(atMs),
    outcome: failed?.outcome ?? 'answered',
    latencyMs: times.length === 0 ? null : Math.max(...times),
  };
}

const order: readonly LatestOfService['service'][] = ['sep1', 'sep24', 'sep6', 'sep38'];

function inOrder(services: readonly LatestOfService[]): LatestOfService[] {
  return [...services].sort((a, b) => order.indexOf(a.service) - order.indexOf(b.service));
}
