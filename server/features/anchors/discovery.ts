import type { DiscoveryState } from '../../../contract/schemas/anchors.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { createRefreshedValue, type RefreshedValue } from '../../upstream/refreshed-value.js';
import { toUpstreamFault, UpstreamFault } from '../../upstream/upstream-fault.js';
import type { Fleet } from './fleet.rules.js';
import {
  type AnchorEndpoints,
  maxTomlBytes,
  noEndpoints,
  parseStellarToml,
  Sep1Error,
  tomlUrl,
} from './sep1.rules.js';

const tomlTimeoutMs = 2_000;
const policy = {
  freshMs: 10 * 60_000,
  staleMs: 24 * 3_600_000,
  retry: { baseMs: 2_000, factor: 2, maxMs: 60_000, jitter: 0.2 },
};

export interface DiscoveryView {
  endpoints: AnchorEndpoints;
  state: DiscoveryState;
  fetchedAt: number | null;
  /** Why the last reading failed, or null. */
  reason: string | null;
}

/** Addresses of the anchors, from their stellar.toml; what the fleet file says goes before what the file says. */
export interface Discovery {
  /** Reads the stellar.toml if need be, within 2 s. Throws UpstreamFault. */
  endpointsOf(anchorId: string): Promise<AnchorEndpoints>;
  /** What is known now, without asking anybody; undefined for an anchor that is not in the fleet. */
  view(anchorId: string): DiscoveryView | undefined;
  /** Takes over what an earlier run read. */
  seed(anchorId: string, endpoints: AnchorEndpoints, fetchedAt: number): void;
  /** Forgets what was read of anchors that serve `corridor`, or of all; returns of how many. */
  drop(corridor: string | undefined): number;
}

export function createDiscovery(deps: {
  fleet: Fleet;
  outbound: Outbound;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** The epoch for entries of these corridors. */
  epoch: (corridors: readonly string[]) => number;
  /** Told of every successful reading. */
  onRead: (anchorId: string, read: AnchorEndpoints) => void;
}): Discovery {
  const anchors = new Map(deps.fleet.anchors.map((anchor) => [anchor.id, anchor]));
  const readings = new Map<string, RefreshedValue<AnchorEndpoints>>();

  for (const { id, homeDomain, corridors } of deps.fleet.anchors) {
    if (homeDomain === undefined) continue;
    const corridorIds = corridors.map((corridor) => corridor.id);
    readings.set(
      id,
      createRefreshedValue({
        load: () => read(id, homeDomain),
        policy,
        clock: deps.clock,
        random: deps.random,
        epoch: () => deps.epoch(corridorIds),
      }),
    );
  }

  async function read(anchorId: string, homeDomain: string): Promise<AnchorEndpoints> {
    try {
      const endpoints = await fetchToml(deps.outbound, homeDomain);
      deps.onRead(anchorId, endpoints);
      return endpoints;
    } catch (error) {
      const fault = toUpstreamFault(error);
      deps.logger.warn(
        { anchorId, reason: fault.reason, detail: fault.message },
        'stellar.toml cannot be read',
      );
      throw fault;
    }
  }

  function withOverrides(anchorId: string, found: AnchorEndpoints): AnchorEndpoints {
    const given = Object.entries(anchors.get(anchorId)?.endpoints ?? {});
    return { ...found, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  }

  return {
    async endpointsOf(anchorId) {
      const reading = readings.get(anchorId);
      return withOverrides(anchorId, reading === undefined ? noEndpoints : await reading.get());
    },
    view(anchorId) {
      if (!anchors.has(anchorId)) return undefined;
      const reading = readings.get(anchorId);
      if (reading === undefined) {
        return {
          endpoints: withOverrides(anchorId, noEndpoints),
          state: 'configured',
          fetchedAt: null,
          reason: null,
        };
      }
      const found = reading.peek();
      const fault = reading.lastFault();
      const reason = fault instanceof UpstreamFault ? fault.reason : null;
      const endpoints = withOverrides(anchorId, found?.value ?? noEndpoints);
      if (found === undefined) {
        return { endpoints, state: reason === null ? 'pending' : 'failed', fetchedAt: null, reason };
      }
      return { endpoints, state: found.fresh ? 'fresh' : 'stale', fetchedAt: found.fetchedAt, reason };
    },
    seed(anchorId, endpoints, fetchedAt) {
      readings.get(anchorId)?.seed(endpoints, fetchedAt);
    },
    drop(corridor) {
      let dropped = 0;
      for (const [anchorId, reading] of readings) {
        const serves = anchors.get(anchorId)?.corridors.some(({ id }) => id === corridor) === true;
        if ((corridor === undefined || serves) && reading.drop()) dropped += 1;
      }
      return dropped;
    },
  };
}

async function fetchToml(outbound: Outbound, homeDomain: string): Promise<AnchorEndpoints> {
  const url = tomlUrl(homeDomain);
  const answer = await outbound({ url, timeoutMs: tomlTimeoutMs, maxBytes: maxTomlBytes });
  if (answer.status !== 200) throw new UpstreamFault('error', `${url} answered ${answer.status}`);
  if (answer.truncated) throw new UpstreamFault('malformed', `${url} is larger than ${maxTomlBytes} bytes`);
  try {
    return parseStellarToml(answer.body, { readOver: url.startsWith('http:') ? 'http' : 'https' });
  } catch (error) {
    if (error instanceof Sep1Error) throw new UpstreamFault('malformed', error.message, error);
    throw error;
  }
}
