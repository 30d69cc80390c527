import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Random } from '../../ports.js';
import { createRefreshedValue, type RefreshedValue } from '../../upstream/refreshed-value.js';
import { toUpstreamFault, UpstreamFault } from '../../upstream/upstream-fault.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import { type FeeSchedule, readFeeSchedule } from './fee-schedule.rules.js';

const infoTimeoutMs = 2_000;
const maxInfoBytes = 256 * 1024;
const policy = {
  freshMs: 5 * 60_000,
  staleMs: 60 * 60_000,
  retry: { baseMs: 2_000, factor: 2, maxMs: 60_000, jitter: 0.2 },
};

/** The withdrawal fees that anchors publish in SEP-24 or SEP-6 /info. */
export interface FeeInfo {
  /** Throws UpstreamFault, `not_served` where no fee is published. */
  scheduleOf(endpoints: AnchorEndpoints, assetCode: string): Promise<FeeSchedule>;
  /** Forgets every /info; returns how many. */
  drop(): number;
}

export function createFeeInfo(deps: {
  outbound: Outbound;
  clock: Clock;
  random: Random;
  epoch: () => number;
}): FeeInfo {
  /** By address: one anchor has one or two. Bounded by the fleet, see `drop`. */
  const infos = new Map<string, RefreshedValue<unknown>>();
  const maxInfos = 2_000;

  function infoAt(url: string): RefreshedValue<unknown> {
    const known = infos.get(url);
    if (known !== undefined) return known;
    // Addresses change only when an anchor moves; past the bound all are read anew.
    if (infos.size >= maxInfos) infos.clear();
    const created = createRefreshedValue({ ...deps, policy, load: () => fetchInfo(deps.outbound, url) });
    infos.set(url, created);
    return created;
  }

  return {
    async scheduleOf(endpoints, assetCode) {
      const { transferServerSep24, transferServerSep6 } = endpoints;
      const sources = [
        { source: 'sep24' as const, server: transferServerSep24 },
        { source: 'sep6' as const, server: transferServerSep6 },
      ];
      let fault = new UpstreamFault('not_served', 'it publishes no withdrawal fee');
      for (const { source, server } of sources) {
        if (server === null) continue;
        try {
          const reading = readFeeSchedule(await infoAt(`${server}/info`).get(), assetCode, source);
          if (reading.kind === 'schedule') return reading.schedule;
          if (reading.kind === 'malformed')
            fault = new UpstreamFault('malformed', `${source} /info is malformed`);
        } catch (error) {
          fault = toUpstreamFault(error);
        }
      }
      throw fault;
    },
    drop() {
      let dropped = 0;
      for (const info of infos.values()) if (info.drop()) dropped += 1;
      return dropped;
    },
  };
}

async function fetchInfo(outbound: Outbound, url: string): Promise<unknown> {
  const answer = await outbound({
    url,
    headers: { accept: 'application/json' },
    timeoutMs: infoTimeoutMs,
    maxBytes: maxInfoBytes,
  });
  if (answer.status === 401 || answer.status === 403)
    throw new UpstreamFault('unauthorized', '/info wants a token');
  if (answer.status === 404) throw new UpstreamFault('not_served', 'there is no /info');
  if (answer.status !== 200) throw new UpstreamFault('error', `/info answered ${answer.status}`);
  return parseJson(answer.body);
}

/** JSON of an anchor. Throws UpstreamFault `malformed`. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new UpstreamFault('malformed', 'the answer is not JSON', error);
  }
}
