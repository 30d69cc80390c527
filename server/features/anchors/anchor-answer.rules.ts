import { type AnchorEndpoints, noEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import type { AnchorAnswer, AnchorSummary } from '../../../contract/schemas/anchors.js';
import type { CorridorAnswer } from '../../../contract/schemas/corridors.js';
import type { DiscoveryView } from './discovery.js';
import type { Corridor, FleetAnchor } from './fleet-file.rules.js';
import type { AnchorDocument } from './store.js';

/** A stored anchor as an entry of a list. */
export function toAnchorSummary(anchor: AnchorDocument): AnchorSummary {
  return {
    id: anchor._id,
    name: anchor.name,
    note: anchor.note,
    status: !anchor.listed ? 'delisted' : anchor.refusedKey !== null ? 'refused' : 'active',
    simulated: anchor.simulated,
    homeDomain: anchor.homeDomain,
    corridors: anchor.listed ? anchor.corridors : [],
    onboardedAt: anchor.onboardedAt.toISOString(),
    delistedAt: anchor.delistedAt?.toISOString() ?? null,
  };
}

/** A stored anchor with all details. `view` is what discovery knows now; it knows nothing of a delisted anchor. */
export function toAnchorAnswer(
  anchor: AnchorDocument,
  view: DiscoveryView | undefined,
  corridorOf: (id: string) => Corridor | undefined,
): Omit<AnchorAnswer, 'contradictedPayments' | 'unreadable'> {
  const summary = toAnchorSummary(anchor);
  // A refused anchor may be an impostor: what it shows is not in use, and no wallet is sent there.
  const isRefused = anchor.refusedKey !== null;
  const endpoints = isRefused ? noEndpoints : (view?.endpoints ?? noEndpoints);
  const { quoteServer, transferServerSep24, transferServerSep6, webAuthEndpoint } = endpoints;
  const served = summary.corridors.flatMap(({ corridor }) => corridorOf(corridor) ?? []);
  return {
    ...summary,
    signingKey: anchor.signingKey ?? endpoints.signingKey,
    endpoints: { quoteServer, transferServerSep24, transferServerSep6, webAuthEndpoint },
    discovery: view?.discovery ?? { state: 'pending', fetchedAt: null, reason: null },
    start: summary.status === 'active' ? startingPoints(endpoints, served) : [],
  };
}

/** How a wallet starts a withdrawal: SEP-24 first, since it works in any wallet; then SEP-6. */
export function startingPoints(
  endpoints: AnchorEndpoints,
  corridors: readonly Corridor[],
): AnchorAnswer['start'] {
  const { transferServerSep24, transferServerSep6, quoteServer, webAuthEndpoint } = endpoints;
  return corridors.flatMap((corridor) => {
    const common = {
      corridor: corridor.id,
      assetCode: corridor.sellCode,
      assetIssuer: corridor.sellIssuer,
      destinationAsset: corridor.buyAsset,
      webAuthEndpoint,
    };
    const points: AnchorAnswer['start'] = [];
    if (transferServerSep24 !== null) {
      const url = `${transferServerSep24}/transactions/withdraw/interactive`;
      points.push({ ...common, protocol: 'sep24', method: 'POST', url });
    }
    if (transferServerSep6 !== null) {
      // SEP-6: a withdrawal into another asset is /withdraw-exchange, which needs SEP-38 at the anchor.
      const path = quoteServer === null ? 'withdraw' : 'withdraw-exchange';
      points.push({ ...common, protocol: 'sep6', method: 'GET', url: `${transferServerSep6}/${path}` });
    }
    return points;
  });
}

/** A corridor with the anchors that serve it. */
export function toCorridorAnswer(corridor: Corridor, anchors: readonly FleetAnchor[]): CorridorAnswer {
  const serving = anchors.map(({ id, name, simulated, corridors }) => {
    const methods = corridors.find((each) => each.id === corridor.id)?.deliveryMethods ?? [];
    return { id, name, simulated, deliveryMethods: [...methods] };
  });
  const { sellCode, sellIssuer, currency, countryMatters, quoteBandFactor, ...shown } = corridor;
  return {
    ...shown,
    deliveryMethods: [...new Set(serving.flatMap((anchor) => anchor.deliveryMethods))].sort(),
    anchors: serving,
  };
}
