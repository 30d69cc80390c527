import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eachCounter } from '../../../server/features/reputation/counters.rules.js';
import { expired, failed, noon, packed, settled } from '../../fixtures/reputation/aggregatable-intents.js';
import {
  type AggregationFixture,
  insertIntents,
  openAggregationFixture,
  totals,
} from '../../fixtures/reputation/aggregation-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let fixture: AggregationFixture;

beforeAll(async () => {
  fixture = await openAggregationFixture(uri, { batchSize: 7 });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const collection of ['intents', 'reputation_rollups', 'reputation_account_days'])
    await fixture.connection.collection(collection).deleteMany({});
});

async function aggregate() {
  const run = await fixture.aggregator.aggregate();
  return run.ran ? run.value : run;
}

async function agrees() {
  const run = await fixture.rebuild({ adopt: false });
  expect(run).toMatchObject({ ran: true, value: { differing: 0, differences: [], stale: 0 } });
}

describe('the aggregator', () => {
  it('counts every outcome once over several batches, and clears the marks', async () => {
    await insertIntents(fixture, 40, (index) => ({
      account: `G${index}`,
      corridor: index % 2 ? 'usdc-ngn' : 'usdc-kes',
      outcome: index % 4 === 0 ? failed() : settled({ shortfallPpb: 1_000 }),
    }));
    expect(await aggregate()).toEqual({ intents: 40, batches: 6 });
    expect(await totals(fixture.store)).toEqual({
      ...eachCounter(() => 0),
      filled: 30,
      notFilled: 10,
      accountDays: 40,
      quotedOutcomes: 30,
      shortfallPpb: 30_000,
      acceptedDisputes: 0,
      timesKnown: 0,
      newAccountOutcomes: 40,
      settled: 30,
    });
    expect(await fixture.stored.intents.countDocuments({ unfolded: true })).toBe(0);
    expect(await aggregate()).toEqual({ intents: 0, batches: 0 });
    expect(await fixture.stored.rollups.countDocuments()).toBe(2);
    await agrees();
  });

  it('updates the counts after a recovery, a dispute, and an outcome that no longer counts', async () => {
    const [recovered, disputed, unscored] = await insertIntents(fixture, 3, (index) => ({
      account: `G${index}`,
      outcome: index === 0 ? failed() : settled({ shortfallPpb: 7 }),
    }));
    await aggregate();
    const change = (id: string | undefined, $set: object) =>
      fixture.stored.intents.updateOne({ _id: id ?? '' }, { $set: { ...$set, unfolded: true } });
    await change(recovered, { outcome: settled({ settleSeconds: 5_000, shortfallPpb: null }) });
    await change(disputed, { disputeEffect: 'counts_not_filled' });
    await change(unscored, { scored: false, unscoredReason: 'amount_differs' });
    await aggregate();
    expect(await totals(fixture.store)).toEqual({
      ...eachCounter(() => 0),
      filled: 1,
      notFilled: 1,
      accountDays: 2,
      quotedOutcomes: 0,
      shortfallPpb: 0,
      acceptedDisputes: 1,
      timesKnown: 0,
      newAccountOutcomes: 2,
      settled: 1,
    });
    await agrees();
  });

  it('keeps a change that arrives while a batch is being aggregated', async () => {
    const ids = await insertIntents(fixture, 60, (index) => ({ account: `G${index}`, outcome: failed() }));
    const aggregating = (async () => {
      while ((await fixture.stored.intents.countDocuments({ unfolded: true })) > 0) await aggregate();
    })();
    for (const _id of ids) {
      await fixture.stored.intents.updateOne({ _id }, { $set: { outcome: settled(), unfolded: true } });
    }
    await aggregating;
    await aggregate();
    expect(await totals(fixture.store)).toMatchObject({ filled: 60, notFilled: 0, accountDays: 60 });
    await agrees();
  });

  it('runs as one worker: two that start together count everything once', async () => {
    const other = await openAggregationFixture(uri, { batchSize: 5 });
    await insertIntents(fixture, 80, (index) => ({ account: `G${index}`, outcome: settled() }));
    const runs = await Promise.all([fixture.aggregator.aggregate(), other.aggregator.aggregate()]);
    expect(runs.filter(({ ran }) => ran)).toHaveLength(1);
    await aggregate();
    expect(await totals(fixture.store)).toMatchObject({ filled: 80, accountDays: 80 });
    await agrees();
    await other.close();
  });

  it('stores integers only', async () => {
    await insertIntents(fixture, 3, (index) => ({
      account: `G${index}`,
      outcome: settled({ shortfallPpb: 999_999_999 }),
    }));
    await aggregate();
    const [types] = await fixture.connection
      .collection('reputation_rollups')
      .aggregate([
        {
          $project: {
            _id: 0,
            types: [{ $type: '$filled' }, { $type: '$accountDays' }, { $type: '$shortfallPpb' }],
          },
        },
      ])
      .toArray();
    expect(types).toEqual({ types: ['int', 'int', 'long'] });
    expect(await totals(fixture.store)).toMatchObject({ shortfallPpb: 2_999_999_997 });
  });
});

describe('gaming', () => {
  it('counts 1,000 abandoned withdrawals against nobody', async () => {
    await insertIntents(fixture, 1_000, (index) => ({ account: `G${index}`, outcome: expired() }));
    await aggregate();
    expect(await fixture.stored.rollups.countDocuments()).toBe(0);
    expect(await fixture.stored.accountDays.countDocuments()).toBe(0);
  });

  it('counts none of 500 dust intents of one account in a day, and three of 500 real ones', async () => {
    await insertIntents(fixture, 500, () => ({ sellAmount: '9.99', outcome: settled() }));
    await aggregate();
    expect(await fixture.stored.rollups.countDocuments()).toBe(0);
    await insertIntents(fixture, 500, () => ({ sellAmount: '10', outcome: failed() }));
    await aggregate();
    expect(await totals(fixture.store)).toMatchObject({ filled: 0, notFilled: 3, accountDays: 1 });
    await agrees();
  });

  it('leaves an unscored outcome out of every number until it is scored', async () => {
    const endings = [settled({ shortfallPpb: 9 }), failed(), expired()];
    const ids = await insertIntents(fixture, 30, (index) => ({
      account: `G${index % 5}`,
      outcome: endings[index % 3] ?? null,
      scored: false,
      unscoredReason: 'started_before_intent',
    }));
    await insertIntents(fixture, 15, (index) => ({ account: `G${index % 5}`, outcome: settled() }));
    await aggregate();
    expect(await totals(fixture.store)).toMatchObject({
      filled: 15,
      notFilled: 0,
      accountDays: 5,
      settled: 15,
    });
    await agrees();
    await insertIntents(fixture, 1, () => ({ account: 'H', outcome: failed(), scored: false }));
    await fixture.stored.intents.updateOne(
      { account: 'H' },
      { $set: { scored: true, unscoredReason: null, unfolded: true } },
    );
    await aggregate();
    expect(await totals(fixture.store)).toMatchObject({ filled: 15, notFilled: 1, accountDays: 6 });
    expect(await fixture.stored.intents.countDocuments({ _id: { $in: ids }, counted: { $ne: null } })).toBe(
      0,
    );
    await agrees();
  });

  it('gives an account three places per day in each corridor of each anchor, and never frees one', async () => {
    const days = [noon, new Date(noon.getTime() + 86_400_000)];
    for (const recordedAt of days)
      for (const anchorId of ['harbour', 'squall'])
        await insertIntents(fixture, 8, () => ({ anchorId, outcome: settled({ recordedAt }) }));
    await aggregate();
    expect(await totals(fixture.store)).toMatchObject({ filled: 12, accountDays: 4 });
    await agrees();
  });
});

describe('a rebuild', () => {
  it('ignores intents that still wait to be aggregated', async () => {
    const ids = await insertIntents(fixture, 10, (index) => ({ account: `G${index}`, outcome: failed() }));
    await aggregate();
    await fixture.stored.intents.updateOne(
      { _id: ids[0] ?? '' },
      { $set: { outcome: settled(), unfolded: true } },
    );
    await insertIntents(fixture, 5, (index) => ({ account: `H${index}`, outcome: failed() }));
    await agrees();
  });

  it('finds a roll-up that is off by one, and repairs it with adopt', async () => {
    await insertIntents(fixture, 10, (index) => ({ account: `G${index}`, outcome: settled() }));
    await aggregate();
    await fixture.stored.rollups.updateOne(
      {},
      { $inc: { filled: 1 }, $set: { settle: Buffer.from(packed({ 3: 11 })) } as object },
    );
    const seen = await fixture.rebuild({ adopt: false });
    expect(seen).toMatchObject({ value: { differing: 1, adopted: false } });
    expect(seen.ran && seen.value.differences[0]?.had).toMatchObject({ filled: 11, 'settle.3': 11 });
    expect(seen.ran && seen.value.differences[0]?.has).toMatchObject({ filled: 10, 'settle.90': 10 });

    const mended = await fixture.rebuild({ adopt: true });
    const generation = mended.ran ? mended.value.generation : 0;
    expect(await totals(fixture.store, generation)).toMatchObject({ filled: 10, settled: 10 });
    await agrees();
    expect(await fixture.stored.rollups.distinct('generation')).toEqual([generation]);

    await insertIntents(fixture, 3, (index) => ({ account: `H${index}`, outcome: settled() }));
    await aggregate();
    expect(await totals(fixture.store, generation)).toMatchObject({ filled: 13, accountDays: 13 });
    await agrees();
    await fixture.stored.state.deleteMany({});
  });

  it('finds intents whose counted contribution disagrees with the rules, and marks them for aggregation', async () => {
    const [id = ''] = await insertIntents(fixture, 4, (index) => ({
      account: `G${index}`,
      outcome: settled(),
    }));
    await aggregate();
    await fixture.stored.intents.updateOne({ _id: id }, { $set: { outcome: failed() } });
    expect(await fixture.rebuild({ adopt: false })).toMatchObject({
      value: { stale: 1, differing: 1 },
    });
    const mended = await fixture.rebuild({ adopt: true });
    await aggregate();
    const generation = mended.ran ? mended.value.generation : 0;
    expect(await totals(fixture.store, generation)).toMatchObject({ filled: 3, notFilled: 1 });
    await agrees();
    await fixture.stored.state.deleteMany({});
  });
});
