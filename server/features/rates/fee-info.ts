import { isRefused } from '../../../contract/anchor-documents/json.js';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { createCache } from '../../cache/cache.js';
import type { Outbound } from '../../outbound/outbound.js';
import {
  faultOfStatus,
  maxInfoBytes,
  pauseAfterFaults,
  toUpstreamFault,
  UpstreamFault,
} from '../../outbound/upstream-fault.js';
import type { Clock, Random } from '../../ports.js';
import { type FeeSchedule, readFeeSchedule } from './estimate.rules.js';

const infoTimeoutMs = 2_000;
const freshMs = 5 * 60_000;
const staleMs = 60 * 60_000;

export type FeeInfo = ReturnType<typeof createFeeInfo>;

/** The withdrawal fees that anchors publish in SEP-24 or SEP-6 /info. */
export function createFeeInfo(deps: { outbound: Outbound; clock: Clock; random: Random }) {
  /** The /info answers by URL; an anchor has one or two. */
  const infos = createCache<string, unknown>({
    load: fetchInfo,
    freshMs,
    staleMs,
    retryMs: pauseAfterFaults(deps.random),
    clock: deps.clock,
  });

  async function fetchInfo(url: string): Promise<unknown> {
    const answer = await deps.outbound({
      url,
      headers: { accept: 'application/json' },
      timeoutMs: infoTimeoutMs,
      maxBytes: maxInfoBytes,
      expects: 'json',
    });
    if (answer.status === 401 || answer.status === 403)
      throw new UpstreamFault('unauthorized', '/info wants a token');
    if (answer.status === 404) throw new UpstreamFault('not_served', 'there is no /info');
    if (answer.status !== 200) throw faultOfStatus(answer, '/info', deps.clock());
    return answer.json;
  }

  return {
    /** Throws UpstreamFault, with `not_served` if no fee is published. */
    async scheduleOf(endpoints: AnchorEndpoints, asset: string): Promise<FeeSchedule> {
      const sources = [
        { source: 'sep24' as const, server: endpoints.transferServerSep24 },
        { source: 'sep6' as const, server: endpoints.transferServerSep6 },
      ];
      let fault = new UpstreamFault('not_served', 'it publishes no withdrawal fee');
      for (const { source, server } of sources) {
        if (server === null) continue;
        try {
          const reading = readFeeSchedule(await infos.get(`${server}/info`), asset, source);
          if (reading === null) continue;
          if (isRefused(reading)) throw new UpstreamFault('malformed', `${source}: ${reading.refused}`);
          return reading;
        } catch (error) {
          const failure = toUpstreamFault(error);
          // A server without /info does not hide that the other one failed, which may pass.
          if (fault.reason === 'not_served' || failure.reason !== 'not_served') fault = failure;
        }
      }
      throw fault;
    },
    clear: infos.clear,
  };
}
