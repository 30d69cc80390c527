import pLimit from 'p-limit';
import type { RateQuote } from '../../../contract/schemas/rates.js';
import type { SnapshotAnswer } from '../../../contract/schemas/snapshot.js';
import { createCache } from '../../cache/cache.js';
import { ApiError } from '../../errors.js';
import { type Clock, toInstant } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CacheEpoch } from '../cache/epoch.js';
import type { Rates } from '../rates/service.js';

type SnapshotRow = SnapshotAnswer['corridors'][number];

const defaultIntervalMs = 15_000;
const concurrentCorridors = 8;

export interface SnapshotDeps {
  directory: Pick<AnchorDirectory, 'corridors' | 'servingVersion'>;
  rates: Pick<Rates, 'quote'>;
  cacheEpoch: Pick<CacheEpoch, 'onEmptied'>;
  clock: Clock;
  /** How often `rebuild` is called. */
  intervalMs?: number;
}

export type Snapshot = ReturnType<typeof createSnapshot>;

/** Every corridor at its reference amount; rebuilding it also keeps those amounts fresh in the cache of the rates. */
export function createSnapshot(deps: SnapshotDeps) {
  const { clock } = deps;
  const intervalMs = deps.intervalMs ?? defaultIntervalMs;
  const built = createCache<void, { answer: SnapshotAnswer; builtAt: number }>({
    load: build,
    // Served until the next one is built, or until it is invalidated.
    freshMs: Number.POSITIVE_INFINITY,
    // Another one is built when an anchor is refused.
    keyOf: () => String(deps.directory.servingVersion()),
    max: 1,
    clock,
  });
  deps.cacheEpoch.onEmptied(() => built.clear());

  /** When each corridor was last quoted without an anchor being `busy`. */
  const quotedAt = new Map<string, number>();

  async function build(): Promise<{ answer: SnapshotAnswer; builtAt: number }> {
    const atOnce = pLimit(concurrentCorridors);
    // An anchor with many corridors may not be asked for all of them at once: those that wait longest are asked first.
    const order = [...deps.directory.corridors()];
    order.sort((a, b) => (quotedAt.get(a.id) ?? 0) - (quotedAt.get(b.id) ?? 0));
    const corridors = await Promise.all(order.map((corridor) => atOnce(() => readCorridor(corridor))));
    corridors.sort((a, b) => (a.corridor < b.corridor ? -1 : 1));
    return { answer: { asOf: toInstant(clock()), corridors }, builtAt: clock() };
  }

  async function readCorridor(corridor: Corridor): Promise<SnapshotRow> {
    const { id, sellAsset, buyAsset, referenceAmount } = corridor;
    const head = { corridor: id, sellAsset, buyAsset, amount: referenceAmount };
    try {
      // Quotes may be at most half the interval old, so that requests for this amount never find them stale.
      const { answer } = await deps.rates.quote(id, {}, { maxAgeMs: intervalMs / 2 });
      noteQuoted(id, answer.unavailable, Date.parse(answer.asOf));
      return { ...head, best: toBest(answer.quotes[0]), asOf: answer.asOf };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      noteQuoted(id, error.extras.unavailable ?? [], clock());
      return { ...head, best: null, asOf: toInstant(clock()) };
    }
  }

  function noteQuoted(id: string, unavailable: readonly { reason: string }[], asOf: number): void {
    if (!unavailable.some(({ reason }) => reason === 'busy')) quotedAt.set(id, asOf);
  }

  return {
    /** The latest snapshot, with the milliseconds until the next is due. Waits if the first one is not built yet. */
    async get() {
      const { answer, builtAt } = await built.get();
      return { answer, freshForMs: Math.max(0, builtAt + intervalMs - clock()) };
    },
    async rebuild() {
      await built.refresh();
    },
  };
}

function toBest(quote: RateQuote | undefined): SnapshotRow['best'] {
  if (quote === undefined || quote.unranked !== null) return null;
  const { unranked, adjusted, fee, deliveryMethod, sep38, estimate, ...best } = quote;
  return best;
}
