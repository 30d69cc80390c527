import { isRefused } from '../../../contract/anchor-documents/json.js';
import {
  type AnchorEndpoints,
  maxTomlBytes,
  noEndpoints,
  readStellarToml,
  type StellarToml,
  tomlUrl,
} from '../../../contract/anchor-documents/stellar-toml.js';
import type { AnchorAnswer } from '../../../contract/schemas/anchors.js';
import { createCache } from '../../cache/cache.js';
import { createOutageLog } from '../../logger.js';
import type { Outbound } from '../../outbound/outbound.js';
import {
  faultOfStatus,
  pauseAfterFaults,
  toUpstreamFault,
  UpstreamFault,
} from '../../outbound/upstream-fault.js';
import { type Clock, type Logger, type Random, toInstant } from '../../ports.js';
import type { Fleet } from './fleet-file.rules.js';

const tomlTimeoutMs = 2_000;
const freshMs = 10 * 60_000;
const staleMs = 24 * 3_600_000;

export type DiscoveryView = Pick<AnchorAnswer, 'discovery'> & { endpoints: AnchorEndpoints };

/** The addresses of the anchors: from the fleet file, and otherwise from the anchor's stellar.toml. */
export function createDiscovery(deps: {
  fleet: Fleet;
  outbound: Outbound;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Called with what cannot be used of a stellar.toml. */
  onUnreadable: (anchorId: string, what: string) => void;
  /** Called with every successful reading. */
  onRead: (anchorId: string, read: AnchorEndpoints) => void;
}) {
  const anchors = new Map(deps.fleet.anchors.map((anchor) => [anchor.id, anchor]));
  const outages = createOutageLog({
    ...deps,
    says: { failed: 'stellar.toml cannot be read', worked: 'stellar.toml can be read again' },
  });
  const readings = createCache<string, AnchorEndpoints>({
    load: read,
    freshMs,
    staleMs,
    max: deps.fleet.anchors.length,
    retryMs: pauseAfterFaults(deps.random),
    clock: deps.clock,
  });

  /** An anchor with a home domain has a stellar.toml to read; without one, the fleet file has all its addresses. */
  function hasToml(anchorId: string): boolean {
    return anchors.get(anchorId)?.homeDomain !== undefined;
  }

  async function read(anchorId: string): Promise<AnchorEndpoints> {
    try {
      const { endpoints, unreadable } = await fetchToml(anchors.get(anchorId)?.homeDomain ?? '');
      if (unreadable.length > 0) deps.onUnreadable(anchorId, `${unreadable.join(', ')} cannot be used`);
      outages.worked(anchorId, { anchorId });
      deps.onRead(anchorId, endpoints);
      return endpoints;
    } catch (error) {
      const fault = toUpstreamFault(error);
      if (fault.isSpelling) deps.onUnreadable(anchorId, fault.message);
      outages.failed(anchorId, { anchorId, reason: fault.reason, detail: fault.message });
      throw fault;
    }
  }

  async function fetchToml(homeDomain: string): Promise<StellarToml> {
    const url = tomlUrl(homeDomain);
    const answer = await deps.outbound({ url, timeoutMs: tomlTimeoutMs, maxBytes: maxTomlBytes });
    if (answer.status !== 200) throw faultOfStatus(answer, 'stellar.toml', deps.clock());
    const toml = readStellarToml(answer.body, { readOver: url.startsWith('http:') ? 'http' : 'https' });
    if (isRefused(toml)) throw new UpstreamFault('malformed', `stellar.toml: ${toml.refused}`);
    return toml;
  }

  /** Replaces these addresses by those that the fleet file configures. */
  function withOverrides(anchorId: string, found: AnchorEndpoints): AnchorEndpoints {
    const given = Object.entries(anchors.get(anchorId)?.endpoints ?? {});
    return { ...found, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  }

  return {
    /** Reads the stellar.toml if necessary, within 2 s. Throws UpstreamFault. */
    async endpointsOf(anchorId: string): Promise<AnchorEndpoints> {
      return withOverrides(anchorId, hasToml(anchorId) ? await readings.get(anchorId) : noEndpoints);
    },
    /** What is known now, without a request; undefined for an anchor that is not in the fleet. */
    view(anchorId: string): DiscoveryView | undefined {
      if (!anchors.has(anchorId)) return undefined;
      const found = readings.peek(anchorId);
      const endpoints = withOverrides(anchorId, found?.value ?? noEndpoints);
      const fault = readings.faultOf(anchorId);
      // Why the last reading failed.
      const reason = fault instanceof UpstreamFault ? fault.reason : null;
      const unread = !hasToml(anchorId) ? 'configured' : reason === null ? 'pending' : 'failed';
      const state = found === undefined ? unread : found.fresh ? 'fresh' : 'stale';
      const fetchedAt = found === undefined ? null : toInstant(found.loadedAt);
      return { endpoints, discovery: { state, fetchedAt, reason } };
    },
    /** Forgets the readings; returns how many there were. */
    clear: readings.clear,
  };
}
