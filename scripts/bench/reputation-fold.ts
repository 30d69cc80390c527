import { setTimeout as delay } from 'node:timers/promises';
import type { AggregatableIntent } from '../../server/features/reputation/aggregatable-intent.js';
import { accountDaysOf, planAggregation } from '../../server/features/reputation/aggregation.rules.js';
import { readAccountDays, writeCounts } from '../../server/features/reputation/rollup-writer.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { perSecond, ratio } from './lib/figures.js';
import {
  type AggregationFixture,
  openAggregationFixture,
  outcomeOf,
} from './reputation/aggregation-fixture.js';

export const name = 'reputation-fold';

const hot = { anchors: 1, corridors: 1, days: 1 };
const table = 'outcomes of one anchor, corridor and day counted';
const chunk = 2_000;

/** One transaction for each outcome, by one writer and by sixteen at once, against the aggregator's batches. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const measure = async (database: string, work: (fixture: AggregationFixture) => Promise<number>) => {
    context.say(`${database} …`);
    const fixture = await openAggregationFixture(mongo.uri, database, hot);
    try {
      return await work(fixture);
    } finally {
      await fixture.close();
    }
  };
  const alone = await measure('one-writer', (fixture) => oneByOne(fixture, 1, context.seconds));
  const crowded = await measure('sixteen-writers', (fixture) => oneByOne(fixture, 16, context.seconds));
  const aggregated = await measure('aggregator', (fixture) => inBatches(fixture, context.seconds));
  const best = Math.max(alone, crowded);
  const row = (what: string, value: number): BenchRow => ({
    table,
    what,
    figures: { outcomes: perSecond(value), 'of the best one by one': ratio(value, best) },
  });
  return [
    row('a transaction each, one writer', alone),
    row('a transaction each, 16 writers', crowded),
    row('folded in batches', aggregated),
  ];
}

/** Each outcome in a transaction that does for it what the aggregator does for a batch. */
async function oneByOne(fixture: AggregationFixture, writers: number, seconds: number): Promise<number> {
  await insert(fixture, 0, chunk);
  const queue = await fixture.store.intents.find({ unfolded: true }).toArray();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let counted = 0;
  const writer = async () => {
    while (performance.now() < endsAt) {
      const intent = queue.pop();
      if (intent === undefined) return;
      await countOne(fixture, intent);
      counted += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const took = performance.now() - startedAt;
  await expectCounted(fixture, counted);
  return (counted * 1_000) / took;
}

async function countOne(
  { store, inTransaction }: AggregationFixture,
  intent: AggregatableIntent,
): Promise<void> {
  for (;;) {
    try {
      await inTransaction(async (session) => {
        const stored = await readAccountDays(store, session, 1, accountDaysOf([intent]));
        const plan = planAggregation([intent], stored);
        await writeCounts(store, session, 1, plan);
        await store.intents.updateOne({ _id: intent._id }, { $set: { unfolded: false } }, { session });
      });
      return;
    } catch {
      // Conflicts with the other writers until its time was up: it queues again.
      await delay(5);
    }
  }
}

/** The aggregator on a backlog large enough for the time given; the time it takes to be filled is not counted. */
async function inBatches(fixture: AggregationFixture, seconds: number): Promise<number> {
  let counted = 0;
  let tookMs = 0;
  while (tookMs < seconds * 1_000) {
    for (let chunks = 0; chunks < 5; chunks += 1) await insert(fixture, counted + chunks * chunk, chunk);
    const startedAt = performance.now();
    const outcome = await fixture.aggregator.aggregate();
    tookMs += performance.now() - startedAt;
    counted += outcome.ran ? outcome.value.intents : 0;
  }
  await expectCounted(fixture, counted);
  return (counted * 1_000) / tookMs;
}

async function insert(fixture: AggregationFixture, from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => outcomeOf(from + index, hot));
  await fixture.store.intents.insertMany(rows, { ordered: false, timeoutMS: 30_000 });
}

async function expectCounted(fixture: AggregationFixture, counted: number): Promise<void> {
  const rollups = await fixture.store.rollups.find().lean();
  const sum = rollups.reduce((total, { filled, notFilled }) => total + filled + notFilled, 0);
  if (sum !== counted) throw new Error(`the roll-ups hold ${sum} outcomes instead of ${counted}`);
}
