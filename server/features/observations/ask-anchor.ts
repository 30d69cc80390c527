import { type AnchorEndpoints, maxTomlBytes } from '../../../contract/anchor-documents/stellar-toml.js';
import type { CallOutcome } from '../../../contract/schemas/observations.js';
import type { Outbound } from '../../outbound/outbound.js';
import { maxInfoBytes, maxPriceBytes, UpstreamFault } from '../../outbound/upstream-fault.js';
import type { Clock, Random } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { FxReading } from '../rates/estimate.rules.js';
import type { ReferenceOffer, ReferenceOffers } from '../rates/reference-offer.rules.js';
import { createCalls } from './calls.js';
import { type Observation, outcomeOf, outcomeOfInfo, type Received } from './observation.rules.js';

export interface AskAnchorDeps {
  directory: Pick<
    AnchorDirectory,
    'anchor' | 'tomlUrlOf' | 'isReadableToml' | 'endpointsOf' | 'knownEndpoints'
  >;
  offers: ReferenceOffers;
  midMarketOf: (corridor: Corridor) => Promise<FxReading>;
  outbound: Outbound;
  random: Random;
  clock: Clock;
}

/** Makes those calls to one anchor that any wallet may make without a token. Never rejects because of the anchor. */
export type AskAnchor = (anchorId: string, corridors: readonly Corridor[]) => Promise<Observation>;

type Ask = ReturnType<typeof createCalls>['ask'];

/** The anchor's own price; `not_served` if it has none for the pair, undefined if it should give one and does not. */
type Price = ReferenceOffer | 'not_served' | undefined;

/** The most prices that one round asks of an anchor. */
export const mostPrices = 6;

export function createAskAnchor(deps: AskAnchorDeps): AskAnchor {
  const { directory, offers, random } = deps;

  async function askToml(ask: Ask, anchorId: string): Promise<void> {
    const url = directory.tomlUrlOf(anchorId);
    if (url === undefined) return;
    const judge = ({ status, body }: Received): CallOutcome => {
      if (status !== 200) return 'error';
      return directory.isReadableToml(anchorId, body) ? 'answered' : 'malformed';
    };
    await ask(url, { service: 'sep1', maxBytes: maxTomlBytes, judge });
  }

  async function askInfo(ask: Ask, service: 'sep24' | 'sep6' | 'sep38', server: string | null) {
    if (server === null) return undefined;
    const judge = (received: Received) => outcomeOfInfo(service, received);
    return (await ask(`${server}/info`, { service, maxBytes: maxInfoBytes, judge }))?.json;
  }

  async function askPrice(
    ask: Ask,
    endpoints: AnchorEndpoints,
    { corridor, market }: { corridor: Corridor; market: FxReading },
  ): Promise<Price> {
    if (endpoints.quoteServer === null) return 'not_served';
    let price: Price;
    const judge = (received: Received): CallOutcome => {
      const outcome = outcomeOf(received, { missing: false });
      if (outcome !== 'answered') return outcome;
      const { status, body, json } = received;
      if (status === 200) {
        price = offers.readPrice(json, endpoints, corridor, market);
        return price === undefined ? 'malformed' : 'answered';
      }
      const reason = offers.reasonOfStatus(status, body.toString());
      if (reason === 'not_served') price = reason;
      return reason === 'error' ? 'error' : 'answered';
    };
    const question = { service: 'sep38', corridor: corridor.id, maxBytes: maxPriceBytes, judge } as const;
    await ask(offers.priceUrl(endpoints, corridor), question);
    return price;
  }

  function estimate(infos: Record<'sep24' | 'sep6', unknown>, corridor: Corridor, market: FxReading) {
    for (const source of ['sep24', 'sep6'] as const) {
      const reading = offers.readFee(infos[source], corridor.sellAsset, source);
      if (reading.kind === 'schedule') return offers.estimate(reading.schedule, corridor, market);
    }
    return undefined;
  }

  /** The known addresses, where stellar.toml cannot be read now; null of an anchor that shows another signing key. */
  async function addressesOf(anchorId: string): Promise<AnchorEndpoints | null> {
    try {
      return await directory.endpointsOf(anchorId);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      return directory.anchor(anchorId) === undefined ? null : directory.knownEndpoints(anchorId);
    }
  }

  async function askServers(ask: Ask, anchorId: string, corridors: readonly Corridor[]) {
    const [endpoints, ...markets] = await Promise.all([
      addressesOf(anchorId),
      ...corridors.map(async (corridor) => ({ corridor, market: await deps.midMarketOf(corridor) })),
    ]);
    // The servers may be somebody else's.
    if (endpoints === null) return [];
    const [sep24, sep6, , ...prices] = await Promise.all([
      askInfo(ask, 'sep24', endpoints.transferServerSep24),
      askInfo(ask, 'sep6', endpoints.transferServerSep6),
      askInfo(ask, 'sep38', endpoints.quoteServer),
      ...markets.map((each) => askPrice(ask, endpoints, each)),
    ]);
    return markets.map(({ corridor, market }, place) => {
      const price = prices[place];
      const offer = price === 'not_served' ? estimate({ sep24, sep6 }, corridor, market) : price;
      const hasReference = !('missing' in market);
      return { corridor: corridor.id, isServed: price !== 'not_served', offer: offer ?? null, hasReference };
    });
  }

  return async (anchorId, served) => {
    const at = new Date(deps.clock());
    const { ask, calls, made } = createCalls(deps.outbound);
    const [seen] = await Promise.all([
      askServers(ask, anchorId, someOf(served, random())),
      askToml(ask, anchorId),
    ]);
    const isAnswered = (id: string) => calls.some(({ corridor }) => corridor === id);
    const corridors = seen.map(({ isServed, ...each }) => ({
      ...each,
      asked: isServed && isAnswered(each.corridor),
    }));
    return { at, calls, made: made(), corridors };
  };
}

/** As many corridors as one round asks prices for, beginning anywhere, so that each has its turn. */
function someOf(corridors: readonly Corridor[], random: number): Corridor[] {
  const from = Math.floor(random * corridors.length);
  return [...corridors.slice(from), ...corridors.slice(0, from)].slice(0, mostPrices);
}
