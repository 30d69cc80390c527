import { parseJson } from '../../../contract/anchor-documents/json.js';
import { type AnchorEndpoints, maxTomlBytes } from '../../../contract/anchor-documents/stellar-toml.js';
import {
  type CallOutcome,
  callOutcome,
  type ObservedService,
} from '../../../contract/schemas/observations.js';
import type { Outbound } from '../../outbound/outbound.js';
import {
  maxInfoBytes,
  maxPriceBytes,
  toUpstreamFault,
  UpstreamFault,
} from '../../outbound/upstream-fault.js';
import type { Clock, Random } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { FxReading } from '../rates/estimate.rules.js';
import type { ReferenceOffer, ReferenceOffers } from '../rates/reference-offer.rules.js';
import {
  type Call,
  type Observation,
  outcomeOf,
  outcomeOfInfo,
  outcomeOfToml,
  type Received,
} from './observation.rules.js';

export interface AskAnchorDeps {
  directory: Pick<AnchorDirectory, 'anchor' | 'tomlUrlOf' | 'endpointsOf' | 'knownEndpoints'>;
  offers: ReferenceOffers;
  midMarketOf: (corridor: Corridor) => Promise<FxReading>;
  outbound: Outbound;
  random: Random;
  clock: Clock;
}

/** The time limit of a request for rates: a slower answer would not have reached the ranking. */
const timeoutMs = 2_000;
const headers = { accept: 'application/json, text/plain' };
/** The anchor asks for a pause: this says nothing about its health. */
const pausing = 429;
/** The most prices that one round asks of an anchor. */
export const mostPrices = 6;

/** What a call is about, and how its answer is judged. */
interface Question {
  service: ObservedService;
  corridor?: string;
  maxBytes: number;
  judge(received: Received): CallOutcome;
}

/** Undefined without an answer, and if the anchor asks for a pause. */
type Ask = (url: string, question: Question) => Promise<Received | undefined>;

/** The anchor's own price; `not_served` if it has none for the pair, undefined if it should give one and does not. */
type Price = ReferenceOffer | 'not_served' | undefined;

/** Makes those calls to one anchor that any wallet may make without a token. Never rejects because of the anchor. */
export function createAskAnchor(deps: AskAnchorDeps) {
  const { directory, offers, outbound, random } = deps;

  /** The calls are made at the same time, so that an anchor that hangs takes one time limit. */
  function createAsk(observed: { calls: Call[]; made: number }): Ask {
    return async (url, { service, corridor = null, maxBytes, judge }) => {
      observed.made += 1;
      const note = (outcome: CallOutcome, latencyMs: number | null) =>
        observed.calls.push({ service, corridor, outcome, latencyMs });
      try {
        const { status, body, elapsedMs } = await outbound({ url, headers, timeoutMs, maxBytes });
        if (status === pausing) return undefined;
        const received = { status, body, json: parsed(body) };
        note(judge(received), elapsedMs);
        return received;
      } catch (error) {
        note(callOutcome.parse(toUpstreamFault(error).reason), null);
        return undefined;
      }
    };
  }

  async function askToml(ask: Ask, anchorId: string): Promise<void> {
    const url = directory.tomlUrlOf(anchorId);
    if (url === undefined) return;
    const judge = (received: Received) => outcomeOfToml(url, received);
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
    const { url, read } = offers.price(endpoints, corridor, market);
    const judge = (received: Received): CallOutcome => {
      const outcome = outcomeOf(received, { missing: false });
      if (outcome !== 'answered') return outcome;
      const found = read(received);
      if (typeof found === 'object' || found === 'not_served') price = found;
      return found === 'malformed' || found === 'error' ? found : 'answered';
    };
    await ask(url, { service: 'sep38', corridor: corridor.id, maxBytes: maxPriceBytes, judge });
    return price;
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
      const isServed = price !== 'not_served';
      const offer = isServed ? price : offers.estimate({ sep24, sep6 }, corridor, market);
      return { corridor: corridor.id, isServed, offer: offer ?? null, hasReference: !('missing' in market) };
    });
  }

  return async (anchorId: string, served: readonly Corridor[]): Promise<Observation> => {
    const observed = { at: new Date(deps.clock()), calls: [] as Call[], made: 0 };
    const ask = createAsk(observed);
    const some = someOf(served, random());
    const [seen] = await Promise.all([askServers(ask, anchorId, some), askToml(ask, anchorId)]);
    const isNoted = (id: string) => observed.calls.some(({ corridor }) => corridor === id);
    const corridors = seen.map(({ isServed, ...each }) => ({
      ...each,
      asked: isServed && isNoted(each.corridor),
    }));
    return { ...observed, corridors };
  };
}

/** As many corridors as one round asks prices for, beginning anywhere, so that each has its turn. */
function someOf(corridors: readonly Corridor[], random: number): Corridor[] {
  const from = Math.floor(random * corridors.length);
  return [...corridors.slice(from), ...corridors.slice(0, from)].slice(0, mostPrices);
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
