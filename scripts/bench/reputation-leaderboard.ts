import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, microseconds, ms } from './lib/figures.js';
import {
  type AggregationFixture,
  corridorId,
  openAggregationFixture,
} from './reputation/aggregation-fixture.js';

const size = { anchors: 1_000, corridors: 20 };
const limit = 100;

/** A fleet of 1,000 anchors in 20 corridors: its refresh, its pages the first time, and from the cache. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const fixture = await openAggregationFixture(mongo.uri, 'board', size);
  context.onEnd('the connection', fixture.close);
  const startedAt = performance.now();
  const refreshed = await fixture.feature.refresh();
  const refreshMs = performance.now() - startedAt;
  if (!refreshed.ran || refreshed.value.cards !== size.anchors * size.corridors * 3)
    throw new Error('the refresh made another number of cards');
  const first = await everyPage(fixture);
  const again = await everyPage(fixture);
  const table = `leaderboard over ${size.anchors} anchors and ${size.corridors} corridors, pages of ${limit}`;
  return [
    { table, what: 'refresh, all windows', figures: { time: ms(refreshMs) } },
    { table, what: 'a page, first asked for', figures: { time: ms(median(first)) } },
    { table, what: 'the same page again', figures: { time: microseconds(median(again) * 1_000) } },
  ];
}

/** Milliseconds of each page of the overall ranking and of every corridor's. */
async function everyPage(fixture: AggregationFixture): Promise<number[]> {
  const times: number[] = [];
  const corridors = Array.from({ length: size.corridors }, (_, index) => corridorId(index));
  for (const corridor of [null, ...corridors]) {
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const startedAt = performance.now();
      const page = await fixture.feature.service.getLeaderboard({
        corridor,
        window: 30,
        limit: String(limit),
        cursor,
      });
      times.push(performance.now() - startedAt);
      for (const { anchorId } of page.items) seen.add(anchorId);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    if (seen.size !== size.anchors) throw new Error(`the pages show ${seen.size} anchors`);
  }
  return times;
}
