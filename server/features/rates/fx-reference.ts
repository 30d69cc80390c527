import { createCache } from '../../cache/cache.js';
import { createOutageLog } from '../../logger.js';
import type { Outbound } from '../../outbound/outbound.js';
import { pauseAfterFaults, toUpstreamFault, UpstreamFault } from '../../outbound/upstream-fault.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import { type FxReading, type FxTable, rateFor, readFxTable } from './estimate.rules.js';

const timeoutMs = 2_000;
const maxBytes = 256 * 1024;
const freshMs = 10 * 60_000;
const dayMs = 86_400_000;
/** An older reference gives neither estimates nor costs. Weekday tables are this old at Easter. */
export const fxMaxAgeMs = 5 * dayMs;
/** A table of yesterday is as old as a source of a later time zone makes it. */
const pausesAfterMs = dayMs;

export type FxReference = ReturnType<typeof createFxReference>;

/** The operator's reference exchange rates, for estimates and for the cost of quotes. */
export function createFxReference(deps: {
  /** FX_URL; undefined: no estimates. */
  fxUrl: string | undefined;
  /** FX_SOURCE; undefined: the host of `fxUrl`, without its path, which may hold a key. */
  fxSource: string | undefined;
  /** A connector that trusts the origin of `fxUrl`. */
  fxOutbound: Outbound;
  clock: Clock;
  random: Random;
  logger: Logger;
}) {
  const { fxUrl: url, clock, logger } = deps;
  let isOnWeekdaysOnly = false;
  const outages = createOutageLog({
    ...deps,
    says: { failed: 'the FX reference cannot be read', worked: 'the FX reference can be read again' },
  });
  const table = createCache<void, FxTable>({
    load: readTable,
    // The date of the table itself determines whether it is too old.
    freshMs,
    staleMs: fxMaxAgeMs,
    retryMs: pauseAfterFaults(deps.random),
    clock,
  });

  async function readTable(): Promise<FxTable> {
    try {
      const headers = { accept: 'application/json' };
      const answer = await deps.fxOutbound({ url: url ?? '', headers, timeoutMs, maxBytes, expects: 'json' });
      if (answer.status !== 200)
        throw new UpstreamFault('error', `the FX reference answered ${answer.status}`);
      const found = readFxTable(answer.json);
      if (found === undefined)
        throw new UpstreamFault('malformed', 'the FX reference is not {base, date, rates}');
      outages.worked('fx', {});
      noteAge(found);
      return found;
    } catch (error) {
      const fault = toUpstreamFault(error);
      outages.failed('fx', { detail: fault.message });
      throw fault;
    }
  }

  /** Says once that the source pauses at weekends, before its pause at Easter takes the estimates away. */
  function noteAge({ date, asOfMs }: FxTable): void {
    if (isOnWeekdaysOnly || clock() - asOfMs < pausesAfterMs) return;
    isOnWeekdaysOnly = true;
    logger.warn(
      { date, usedForDays: fxMaxAgeMs / dayMs },
      'the FX reference is not of today: a source of weekdays only pauses at weekends and holidays',
    );
  }

  return {
    /** The name that answers give it. */
    source: deps.fxSource ?? (url === undefined ? '' : new URL(url).hostname),
    /** The reference exchange rate of a corridor. Never rejects because the reference cannot be read. */
    async rateOf({ sellCode: code, currency }: Corridor): Promise<FxReading> {
      if (url === undefined) return { missing: 'no_reference' };
      try {
        return rateFor(await table.get(), { code, currency }, { nowMs: clock(), maxAgeMs: fxMaxAgeMs });
      } catch (error) {
        if (error instanceof UpstreamFault) return { missing: 'no_reference' };
        throw error;
      }
    },
    /** Forgets the table; returns 1 if there was one. */
    clear: table.clear,
  };
}
