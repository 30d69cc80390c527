import { createCache } from '../../cache/cache.js';
import { createOutageLog } from '../../logger.js';
import type { Outbound } from '../../outbound/outbound.js';
import { toUpstreamFault, UpstreamFault } from '../../outbound/upstream-fault.js';
import type { Clock, Logger, Random } from '../../ports.js';
import { backoffMs } from '../../timing.js';
import { type FxReading, type FxTable, rateFor, readFxTable } from './estimate.rules.js';

const fxTimeoutMs = 2_000;
const maxFxBytes = 256 * 1024;
const freshMs = 10 * 60_000;
const dayMs = 86_400_000;
/** A table of yesterday is as old as a source of a later time zone makes it. */
const pausesAfterMs = dayMs;
const retry = { baseMs: 2_000, factor: 2, maxMs: 60_000, jitter: 0.2 };

export type FxReference = ReturnType<typeof createFxReference>;

/** The operator's reference exchange rates, for estimates and for the cost of quotes. */
export function createFxReference(deps: {
  /** FX_URL; undefined: no estimates. */
  url: string | undefined;
  /** FX_SOURCE; undefined: the host of `url`, without its path, which may hold a key. */
  source: string | undefined;
  /** A connector that trusts the origin of `url`. */
  outbound: Outbound;
  clock: Clock;
  random: Random;
  logger: Logger;
  maxAgeMs: number;
}) {
  const { url, clock, maxAgeMs, logger } = deps;
  let isOnWeekdaysOnly = false;
  const outages = createOutageLog({
    ...deps,
    says: { failed: 'the FX reference cannot be read', worked: 'the FX reference can be read again' },
  });
  const table = createCache<void, FxTable>({
    load: async () => {
      try {
        const found = await fetchTable(deps.outbound, url ?? '');
        outages.worked('fx', {});
        noteAge(found);
        return found;
      } catch (error) {
        const fault = toUpstreamFault(error);
        outages.failed('fx', { detail: fault.message });
        throw fault;
      }
    },
    // The date of the table itself determines whether it is too old.
    freshMs,
    staleMs: maxAgeMs,
    retryMs: (failures) => backoffMs(failures, retry, deps.random),
    clock,
  });

  /** Says once that the source pauses at weekends, before its pause at Easter takes the estimates away. */
  function noteAge({ date, asOfMs }: FxTable): void {
    if (isOnWeekdaysOnly || clock() - asOfMs < pausesAfterMs) return;
    isOnWeekdaysOnly = true;
    const usedForDays = maxAgeMs / dayMs;
    logger.warn(
      { date, usedForDays },
      'the FX reference is not of today: a source of weekdays only pauses at weekends and holidays',
    );
  }

  return {
    /** The name that answers give it. */
    source: deps.source ?? (url === undefined ? '' : new URL(url).hostname),
    /** Never rejects because the reference cannot be read. */
    async rateOf(asset: { code: string; currency: string }): Promise<FxReading> {
      if (url === undefined) return { missing: 'no_reference' };
      try {
        return rateFor(await table.get(), asset, { nowMs: clock(), maxAgeMs });
      } catch (error) {
        if (error instanceof UpstreamFault) return { missing: 'no_reference' };
        throw error;
      }
    },
    /** Forgets the table; returns 1 if there was one. */
    clear: table.clear,
  };
}

async function fetchTable(outbound: Outbound, url: string): Promise<FxTable> {
  const answer = await outbound({
    url,
    headers: { accept: 'application/json' },
    timeoutMs: fxTimeoutMs,
    maxBytes: maxFxBytes,
    expects: 'json',
  });
  if (answer.status !== 200) throw new UpstreamFault('error', `the FX reference answered ${answer.status}`);
  const found = readFxTable(answer.json);
  if (found === undefined) {
    throw new UpstreamFault('malformed', 'the FX reference is not {base, date, rates}');
  }
  return found;
}
