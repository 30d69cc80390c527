import { randomBytes } from 'node:crypto';
import { planAggregation } from '../../server/features/reputation/aggregation.rules.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, ms, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import {
  type AggregationFixture,
  openAggregationFixture,
  outcomeOf,
} from './reputation/aggregation-fixture.js';

const spread = { anchors: 40, corridors: 3, days: 30 };
const rounds = 9;
const many = 1_000_000;
const few = 10_000;
const chunk = 10_000;

/** A refresh over the same anchors, corridors and days, after so many outcomes and after a hundred times as many. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const small = await openAggregationFixture(mongo.uri, 'few', spread);
  const large = await openAggregationFixture(mongo.uri, 'many', spread);
  context.onEnd('the connections', async () => {
    await small.close();
    await large.close();
  });
  await leaveOutcomes(small, few, context);
  await leaveOutcomes(large, many, context);
  const results = await inTurns(rounds, {
    few: () => refresh(small, few),
    many: () => refresh(large, many),
  });
  const row = (outcomes: number, times: readonly number[]): BenchRow => ({
    table: `refresh over ${spread.anchors} anchors, ${spread.corridors} corridors, ${spread.days} days`,
    what: `${outcomes.toLocaleString('en-US')} outcomes`,
    figures: { time: ms(median(times)), 'of the fewer': ratio(median(times), median(results.few)) },
  });
  return [row(few, results.few), row(many, results.many)];
}

/** Stores the results of this many outcomes of as many accounts: the roll-ups that the rules make, and counted intents. */
async function leaveOutcomes(
  fixture: AggregationFixture,
  count: number,
  context: BenchContext,
): Promise<void> {
  context.say(`leaving ${count} outcomes behind …`);
  for (let from = 0; from < count; from += chunk) {
    context.signal.throwIfAborted();
    const intents = Array.from({ length: chunk }, (_, index) => outcomeOf(from + index, spread));
    const { rollups } = planAggregation(intents, new Map());
    await fixture.inTransaction((session) =>
      fixture.store.rollups.addCounts(session, 1, { rollups, accountDays: new Map() }),
    );
    const counted = intents.map(() => ({
      _id: randomBytes(32).toString('hex'),
      unfolded: false,
      open: false,
    }));
    await fixture.connection
      .collection<(typeof counted)[number]>('intents')
      .insertMany(counted, { ordered: false, timeoutMS: 30_000 });
  }
}

async function refresh(fixture: AggregationFixture, outcomes: number): Promise<number> {
  const startedAt = performance.now();
  const run = await fixture.feature.refresh();
  const took = performance.now() - startedAt;
  const board = await fixture.feature.service.getLeaderboard({
    corridor: null,
    window: 30,
    limit: '100',
    cursor: undefined,
  });
  const sum = board.items.reduce((total, item) => total + item.outcomes, 0);
  if (!run.ran || sum !== outcomes) throw new Error(`the cards hold ${sum} outcomes instead of ${outcomes}`);
  return took;
}
