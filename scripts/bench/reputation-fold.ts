import { setTimeout as delay } from 'node:timers/promises';
import type { AggregatableIntent } from '../../server/features/intents/aggregation.js';
import { accountDaysOf, planAggregation } from '../../server/features/reputation/aggregation.rules.js';
import { isMongoUnavailable } from '../../server/mongo/failures.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { perSecond, ratio } from './lib/figures.js';
import {
  type AggregationFixture,
  openAggregationFixture,
  outcomeOf,
  toStored,
} from './reputation/aggregation-fixture.js';

const hot = { anchors: 1, corridors: 1, days: 1 };
const table = 'outcomes of one anchor, corridor and day counted';
const chunk = 2_000;

/** One transaction per outcome, by one writer and by sixteen at once, compared with the aggregator's batches. */
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
  const alone = await measure('one-writer', (fixture) => oneByOne(fixture, 1, context));
  const crowded = await measure('sixteen-writers', (fixture) => oneByOne(fixture, 16, context));
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
    row('aggregated in batches', aggregated),
  ];
}

/** Counts each outcome in a separate transaction with the same writes as the aggregator's for a batch. */
async function oneByOne(
  fixture: AggregationFixture,
  writers: number,
  { seconds, signal }: BenchContext,
): Promise<number> {
  await insert(fixture, 0, chunk);
  const { intents } = fixture;
  const pending = await intents.findPendingAggregation(chunk);
  const queue = await fixture.inTransaction((session) => intents.readAggregatable(session, pending));
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let counted = 0;
  const writer = async () => {
    while (performance.now() < endsAt) {
      const intent = queue.pop();
      if (intent === undefined) return;
      await countOne(fixture, intent, signal);
      counted += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const took = performance.now() - startedAt;
  await expectCounted(fixture, counted);
  return (counted * 1_000) / took;
}

async function countOne(
  { store, intents, inTransaction }: AggregationFixture,
  intent: AggregatableIntent,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await inTransaction(async (session) => {
        const stored = await store.rollups.readAccountDays(session, 1, accountDaysOf([intent]));
        const plan = planAggregation([intent], stored);
        await store.rollups.addCounts(session, 1, plan);
        await intents.saveCounted(session, plan.intents);
      });
      return;
    } catch (error) {
      if (signal.aborted || !isMongoUnavailable(error)) throw error;
      // It conflicted with the other writers until its time was up, and queues again.
      await delay(5);
    }
  }
}

/** The aggregator on a backlog large enough for the time given; filling it is not timed. */
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
  const intents = Array.from({ length: count }, (_, index) => toStored(outcomeOf(from + index, hot)));
  await fixture.connection
    .collection<(typeof intents)[number]>('intents')
    .insertMany(intents, { ordered: false, timeoutMS: 30_000 });
}

async function expectCounted(fixture: AggregationFixture, counted: number): Promise<void> {
  let sum = 0;
  for await (const page of fixture.store.rollups.pages(1))
    for (const { rollup } of page) sum += rollup.filled + rollup.notFilled;
  if (sum !== counted) throw new Error(`the roll-ups hold ${sum} outcomes instead of ${counted}`);
}
