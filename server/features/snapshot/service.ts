import pLimit from 'p-limit';
import type { SnapshotAnswer, SnapshotRow } from '../../../contract/schemas/snapshot.js';
import { ApiError } from '../../errors.js';
import { type Clock, type Logger, type Random, toInstant } from '../../ports.js';
import { createFlights } from '../../upstream/flights.js';
import type { Corridor } from '../anchors/fleet.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { Epochs } from '../cache/epochs.js';
import type { Rates } from '../rates/service.js';

/** Every corridor at its reference amount; keeps those amounts fresh in the rates cache besides. */
export interface Snapshot {
  /** The last one built, or the first one, waited for; with the milliseconds until the next. */
  get(): Promise<{ answer: SnapshotAnswer; freshForMs: number }>;
  /** Builds now and then again at every interval. */
  start(): void;
  /** Waits for the build under way. */
  stop(): Promise<void>;
}

const defaultIntervalMs = 15_000;
const concurrency = 8;

interface Built {
  answer: SnapshotAnswer;
  builtAt: number;
  epoch: number;
}

export function createSnapshot(deps: {
  directory: Pick<AnchorDirectory, 'corridors'>;
  rates: Pick<Rates, 'quote'>;
  epochs: Pick<Epochs, 'read'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  intervalMs?: number;
}): Snapshot {
  const { clock, epochs } = deps;
  const intervalMs = deps.intervalMs ?? defaultIntervalMs;
  let built: Built | undefined;
  const join = createFlights<Built>();
  let latest: Promise<Built> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = true;

  /** It is made of rates: when those are invalidated, so is it. */
  const epochNow = () => epochs.read('snapshot') + epochs.read('rates');

  function build(): Promise<Built> {
    const epoch = epochNow();
    latest = join('all', epoch, () => buildAll(epoch));
    return latest;
  }

  async function buildAll(epoch: number): Promise<Built> {
    const limit = pLimit(concurrency);
    const corridors = await Promise.all(
      deps.directory.corridors().map((corridor) => limit(() => buildRow(corridor))),
    );
    const answer = { asOf: toInstant(clock()), corridors };
    const done = { answer, builtAt: clock(), epoch };
    if (epoch === epochNow()) built = done;
    return done;
  }

  async function buildRow(corridor: Corridor): Promise<SnapshotRow> {
    const { id, sellAsset, buyAsset, referenceAmount } = corridor;
    const row = { corridor: id, sellAsset, buyAsset, amount: referenceAmount };
    try {
      // Half the interval old at most, so that requests for this amount never find it stale.
      const { answer } = await deps.rates.quote(id, {}, { maxAgeMs: intervalMs / 2 });
      return { ...row, best: toBest(answer.quotes[0]), asOf: answer.asOf };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ...row, best: null, asOf: toInstant(clock()) };
    }
  }

  function loop(): void {
    if (stopped) return;
    build()
      .catch((error: unknown) => deps.logger.error({ err: error }, 'the snapshot could not be built'))
      .finally(() => {
        if (stopped) return;
        timer = setTimeout(loop, intervalMs * (0.95 + 0.1 * deps.random()));
        timer.unref();
      });
  }

  return {
    async get() {
      const current = built?.epoch === epochNow() ? built : await build();
      return { answer: current.answer, freshForMs: Math.max(0, current.builtAt + intervalMs - clock()) };
    },
    start() {
      stopped = false;
      loop();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await latest?.catch(() => undefined);
    },
  };
}

type Quote = Awaited<ReturnType<Rates['quote']>>['answer']['quotes'][number];

function toBest(quote: Quote | undefined): SnapshotRow['best'] {
  if (quote === undefined) return null;
  const { anchorId, anchorName, simulated, tier, sellAmount, receiveAmount, rate, quotedAt } = quote;
  const { reputation, expectedReceive } = quote;
  return {
    anchorId,
    anchorName,
    simulated,
    tier,
    sellAmount,
    receiveAmount,
    rate,
    quotedAt,
    reputation,
    expectedReceive,
  };
}
