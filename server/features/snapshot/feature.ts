import { initServer } from '@ts-rest/express';
import pLimit from 'p-limit';
import { snapshotContract } from '../../../contract/endpoints/corridors.js';
import type { RateQuote } from '../../../contract/schemas/rates.js';
import type { SnapshotAnswer } from '../../../contract/schemas/snapshot.js';
import { createCache } from '../../cache/cache.js';
import { ApiError } from '../../errors.js';
import { freshAnswer } from '../../http/send-json.js';
import { type Clock, toInstant } from '../../ports.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CacheEpoch } from '../cache/feature.js';
import type { Rates } from '../rates/service.js';

type SnapshotRow = SnapshotAnswer['corridors'][number];

/** How often the schedule rebuilds it. */
const intervalMs = 15_000;
const concurrentCorridors = 8;
/** About as many reference amounts as an anchor may be asked for at once. */
const turnOf = 16;

export interface SnapshotDeps {
  directory: Pick<AnchorDirectory, 'corridors'>;
  rates: Pick<Rates, 'quote'>;
  cacheEpoch: Pick<CacheEpoch, 'onEmptied'>;
  clock: Clock;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

/**
 * The best quote of every corridor at its reference amount, rebuilt in the background, which also keeps those amounts fresh
 * among the replies of the anchors.
 */
export function createSnapshotFeature(deps: SnapshotDeps) {
  const { clock } = deps;
  let turn = 0;
  const built = createCache<void, { answer: SnapshotAnswer; builtAt: number }>({
    load: build,
    // Served until the next one is built, or until it is invalidated.
    freshMs: Number.POSITIVE_INFINITY,
    clock,
  });
  deps.cacheEpoch.onEmptied(() => built.clear());

  async function build(): Promise<{ answer: SnapshotAnswer; builtAt: number }> {
    const atOnce = pLimit(concurrentCorridors);
    const all = deps.directory.corridors();
    // An anchor with many corridors may not be asked for all of them at once: each round begins with others.
    const from = turn % Math.max(1, all.length);
    turn = from + turnOf;
    const order = [...all.slice(from), ...all.slice(0, from)];
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
      return { ...head, best: toBest(answer.quotes[0]), asOf: answer.asOf };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ...head, best: null, asOf: toInstant(clock()) };
    }
  }

  /** The latest snapshot, with the milliseconds until the next is due. Waits if the first one is not built yet. */
  async function get() {
    const { answer, builtAt } = await built.get();
    return { answer, freshForMs: Math.max(0, builtAt + intervalMs - clock()) };
  }

  async function rebuild(): Promise<void> {
    await built.refresh();
  }

  const router = initServer().router(snapshotContract, {
    getSnapshot: async ({ res }) => {
      const { answer, freshForMs } = await get();
      const freshness = { seconds: freshForMs / 1_000, countsDown: true, public: deps.publicCache };
      return freshAnswer(res, freshness, answer);
    },
  });
  return { router, get, rebuild };
}

function toBest(quote: RateQuote | undefined): SnapshotRow['best'] {
  if (quote === undefined || quote.unranked !== null) return null;
  const { unranked, adjusted, fee, deliveryMethod, sep38, estimate, ...best } = quote;
  return best;
}
