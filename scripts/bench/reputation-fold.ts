import { setTimeout as delay } from 'node:timers/promises';
import type { AggregatableIntent } from '../../server/features/reputation/aggregatable-intent.js';
import { accountDaysOf, planAggregation } from '../../server/features/reputation/aggregation.rules.js';
import { readAccountDays, writeCounts } from '../../server/features/reputation/rollup-writer.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { perSecond, ratio } from './lib/figures.js';
import { type BenchBooks, openBooks, outcomeOf } from './reputation/books.js';

export const name = 'reputation-fold';

const hot = { anchors: 1, corridors: 1, days: 1 };
const table = 'outcomes of one anchor, corridor and day counted';
const chunk = 2_000;

/** One transaction for each outcome, by one writer and by sixteen at once, against the folder's batches. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const measure = async (database: string, work: (books: BenchBooks) => Promise<number>) => {
    context.say(`${database} …`);
    const books = await openBooks(mongo.uri, database, hot);
    try {
      return await work(books);
    } finally {
      await books.close();
    }
  };
  const alone = await measure('one-writer', (books) => oneByOne(books, 1, context.seconds));
  const crowded = await measure('sixteen-writers', (books) => oneByOne(books, 16, context.seconds));
  const folded = await measure('folder', (books) => inBatches(books, context.seconds));
  const best = Math.max(alone, crowded);
  const row = (what: string, value: number): BenchRow => ({
    table,
    what,
    figures: { outcomes: perSecond(value), 'of the best one by one': ratio(value, best) },
  });
  return [
    row('a transaction each, one writer', alone),
    row('a transaction each, 16 writers', crowded),
    row('folded in batches', folded),
  ];
}

/** Each outcome in a transaction that does for it what the folder does for a batch. */
async function oneByOne(books: BenchBooks, writers: number, seconds: number): Promise<number> {
  await insert(books, 0, chunk);
  const queue = await books.store.intents.find({ unfolded: true }).toArray();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let counted = 0;
  const writer = async () => {
    while (performance.now() < endsAt) {
      const intent = queue.pop();
      if (intent === undefined) return;
      await countOne(books, intent);
      counted += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const took = performance.now() - startedAt;
  await expectCounted(books, counted);
  return (counted * 1_000) / took;
}

async function countOne({ store, inTransaction }: BenchBooks, intent: AggregatableIntent): Promise<void> {
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

/** The folder on a backlog large enough for the time given; the time it takes to be filled is not counted. */
async function inBatches(books: BenchBooks, seconds: number): Promise<number> {
  let counted = 0;
  let tookMs = 0;
  while (tookMs < seconds * 1_000) {
    for (let chunks = 0; chunks < 5; chunks += 1) await insert(books, counted + chunks * chunk, chunk);
    const startedAt = performance.now();
    const outcome = await books.aggregator.aggregate();
    tookMs += performance.now() - startedAt;
    counted += outcome.ran ? outcome.value.intents : 0;
  }
  await expectCounted(books, counted);
  return (counted * 1_000) / tookMs;
}

async function insert(books: BenchBooks, from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => outcomeOf(from + index, hot));
  await books.store.intents.insertMany(rows, { ordered: false, timeoutMS: 30_000 });
}

async function expectCounted(books: BenchBooks, counted: number): Promise<void> {
  const rollups = await books.store.rollups.find().lean();
  const sum = rollups.reduce((total, { filled, notFilled }) => total + filled + notFilled, 0);
  if (sum !== counted) throw new Error(`the roll-ups hold ${sum} outcomes instead of ${counted}`);
}
