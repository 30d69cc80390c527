import type { CallOutcome } from '../../../contract/schemas/observations.js';
import { maxInfoBytes, maxPriceBytes, maxTomlBytes } from '../../anchor-answers.rules.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock } from '../../ports.js';
import type { Corridor, FleetAnchor } from '../anchors/fleet-file.rules.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { FxReading } from '../rates/estimate.rules.js';
import type { ReferenceOffer, ReferenceOffers } from '../rates/reference-offer.rules.js';
import { isNotJson, outcomeOf, type Received } from './call.rules.js';
import { isSep38Info, isTransferInfo } from './info.rules.js';
import { createLook, type Look } from './look.js';
import type { CorridorObservation, Observation, PublishedFee } from './observation.js';
import { callsPerAnchor } from './round-plan.rules.js';
import { serverOf } from './shown-terms.rules.js';

export interface AskAnchorDeps {
  directory: Pick<AnchorDirectory, 'tomlUrlOf' | 'readToml' | 'knownEndpoints' | 'signingKeyOf'>;
  offers: ReferenceOffers;
  midMarketOf: (corridor: Corridor) => Promise<FxReading>;
  outbound: Outbound;
  clock: Clock;
}

/** Makes those calls to one anchor that any wallet may make without a token. Never rejects because of the anchor. */
export type AskAnchor = (
  anchor: Pick<FleetAnchor, 'id'>,
  corridors: readonly Corridor[],
) => Promise<Observation>;

export function createAskAnchor(deps: AskAnchorDeps): AskAnchor {
  const { directory, offers, clock } = deps;

  /** The addresses in the anchor's stellar.toml; undefined if there is none or it cannot be read. */
  async function readToml(look: Look, anchorId: string): Promise<AnchorEndpoints | undefined> {
    const url = directory.tomlUrlOf(anchorId);
    if (url === undefined) return undefined;
    const judge = ({ status }: Received, body: Buffer): CallOutcome => {
      if (status !== 200) return 'error';
      return directory.readToml(anchorId, body) === undefined ? 'malformed' : 'answered';
    };
    const answer = await look.ask({ service: 'sep1', url, maxBytes: maxTomlBytes, judge });
    return answer && directory.readToml(anchorId, answer.body);
  }

  async function readInfos(look: Look, endpoints: AnchorEndpoints): Promise<Observation['infos']> {
    const infos: Record<string, unknown> = {};
    const read = async (service: 'sep24' | 'sep6' | 'sep38', server: string | null) => {
      if (server === null) return;
      const isInfo = service === 'sep38' ? isSep38Info : isTransferInfo;
      // A quote server need not have /info to give prices.
      const judge = judgeBy(isInfo, { missing: service !== 'sep38' });
      const answer = await look.ask({ service, url: `${server}/info`, maxBytes: maxInfoBytes, judge });
      if (answer !== undefined) infos[service] = answer.json;
    };
    for (const service of ['sep24', 'sep6'] as const) await read(service, endpoints[serverOf[service]]);
    await read('sep38', endpoints.quoteServer);
    return infos;
  }

  function publishedFee(infos: Observation['infos'], corridor: Corridor, market: FxReading) {
    for (const source of ['sep24', 'sep6'] as const) {
      const reading = offers.readFee(infos[source], corridor.sellCode, source);
      if (reading.kind !== 'schedule') continue;
      const { feeFixed, feePercent, feeMinimum } = reading.schedule;
      const percentOfReference = offers.feePercentOf(reading.schedule, corridor);
      const fee: PublishedFee = { source, feeFixed, feePercent, feeMinimum, percentOfReference };
      return { fee, estimate: offers.estimate(reading.schedule, { corridor, market }) };
    }
    return undefined;
  }

  /** The anchor's own price; `not_served` if its quote server does not know the pair, `none` if it gives no price. */
  async function askPrice(
    look: Look,
    endpoints: AnchorEndpoints,
    corridor: Corridor,
    market: FxReading,
  ): Promise<ReferenceOffer | 'not_served' | 'none'> {
    const about = { endpoints, corridor, market };
    let refusal: string | undefined;
    const judge = (received: Received): CallOutcome => {
      const { status, text, json } = received;
      if (isNotJson(received)) return outcomeOf(received, { missing: false });
      if (status === 200) return offers.readPrice(json, about) === undefined ? 'malformed' : 'answered';
      refusal = offers.reasonOfStatus(status, text);
      return refusal === 'error' ? 'error' : 'answered';
    };
    const url = offers.priceUrl(endpoints, corridor);
    const answer = await look.ask({
      service: 'sep38',
      corridor: corridor.id,
      url,
      maxBytes: maxPriceBytes,
      judge,
    });
    if (answer !== undefined) return offers.readPrice(answer.json, about) ?? 'none';
    return refusal === 'not_served' ? 'not_served' : 'none';
  }

  async function lookAt(
    look: Look,
    { endpoints, infos }: Pick<Observation, 'endpoints' | 'infos'>,
    corridor: Corridor,
  ): Promise<CorridorObservation> {
    const market = await deps.midMarketOf(corridor);
    const published = publishedFee(infos, corridor, market);
    const seen = { corridor: corridor.id, fee: published?.fee ?? null, market };
    if (endpoints.quoteServer !== null) {
      const price = await askPrice(look, endpoints, corridor, market);
      if (price === 'none') return { ...seen, asked: hasFailed(look, corridor.id), offer: null };
      if (price !== 'not_served') return { ...seen, asked: true, offer: price };
    }
    return { ...seen, asked: false, offer: published?.estimate ?? null };
  }

  return async (anchor, corridors) => {
    const look = createLook({ ...deps, mostCalls: callsPerAnchor });
    const atMs = clock();
    const read = await readToml(look, anchor.id);
    const endpoints = read ?? directory.knownEndpoints(anchor.id);
    const known = await directory.signingKeyOf(anchor.id);
    // This also applies when stellar.toml cannot be read now: the known addresses were published with this key.
    const shown = endpoints.signingKey;
    const otherKey = known !== null && shown !== null && shown !== known ? shown : null;
    const observation = {
      atMs,
      calls: look.calls,
      notJson: look.notJson,
      endpoints,
      tomlRead: read !== undefined,
      otherKey,
    };
    // The servers may belong to somebody else, so they are not called.
    if (otherKey !== null) return { ...observation, made: look.made(), infos: {}, corridors: [] };
    const infos = await readInfos(look, endpoints);
    const seen: CorridorObservation[] = [];
    for (const corridor of corridors) seen.push(await lookAt(look, { endpoints, infos }, corridor));
    return { ...observation, made: look.made(), infos, corridors: seen };
  };
}

/** Whether this price was requested, or could not be because an earlier call failed. A 429 does not count as a failure. */
function hasFailed(look: Look, corridor: string): boolean {
  const broken = look.broken('sep38');
  return (
    look.calls.some((call) => call.corridor === corridor) || (broken !== undefined && broken !== 'paused')
  );
}

function judgeBy(isInfo: (json: unknown) => boolean, missing: { missing: boolean }) {
  return (received: Received): CallOutcome => {
    const outcome = outcomeOf(received, missing);
    return outcome === 'answered' && received.status === 200 && !isInfo(received.json)
      ? 'malformed'
      : outcome;
  };
}
