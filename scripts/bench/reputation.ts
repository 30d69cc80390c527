import { randomBytes } from 'node:crypto';
import type { AnchorSummary } from '../../contract/schemas/anchors.js';
import { createOutcomeStore } from '../../server/features/intents/outcome-store.js';
import { createIntentStore } from '../../server/features/intents/store.js';
import { createCardStore } from '../../server/features/reputation/card-store.js';
import { createReputationFeature, reputationLeases } from '../../server/features/reputation/feature.js';
import { markEveryDay } from '../../server/features/reputation/mark-every-day.js';
import { createMarkStore } from '../../server/features/reputation/mark-store.js';
import { createRollupStore } from '../../server/features/reputation/rollup-store.js';
import { silentLogger } from '../../server/logger.js';
import { connectMongo } from '../../server/mongo/connection.js';
import { createLeases } from '../../server/mongo/leases.js';
import { prepareCollections } from '../../server/mongo/models.js';
import { createInTransaction } from '../../server/mongo/transactions.js';
import { daysOf } from '../../server/outcome-days.rules.js';
import { withDatabase } from '../mongod/uri.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, ms, perSecond, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import { settledIntent } from './lib/settled-intent.js';

const anchors = 40;
const corridors = ['usdc-cca', 'usdc-ccb', 'usdc-ccc'];
const days = 30;
const [few, many] = [10_000, 1_000_000];
const rounds = 9;
const settlements = 120;
const writers = 32;
const dayMs = 86_400_000;
const anyAccount = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const chunk = 2_000;

export const limitMs = 600_000;

type Fixture = Awaited<ReturnType<typeof open>>;

/** A refresh after many outcomes and after few, with the same days marked; and settlements while it runs. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const small = await open(mongo.uri, 'few');
  const large = await open(mongo.uri, 'many');
  context.onEnd('the connections', async () => {
    await small.close();
    await large.close();
  });
  await remember(small, few, context);
  await remember(large, many, context);
  const times = await inTurns(rounds, {
    few: async () => (await settleAndRefresh(small)).refreshMs,
    many: async () => (await settleAndRefresh(large)).refreshMs,
  });
  const alone = await settle(large, context.seconds * 1_000);
  const beside = await settleBesideRefreshes(large, context.seconds * 1_000);
  const table = `${anchors} anchors, ${corridors.length} corridors, ${days} days; ${settlements} days marked`;
  return [
    { table, what: `refresh after ${few} outcomes`, figures: { time: ms(median(times.few)) } },
    {
      table,
      what: `refresh after ${many} outcomes`,
      figures: { time: ms(median(times.many)), 'of the fewer': ratio(median(times.many), median(times.few)) },
    },
    {
      table: `settlements by ${writers} writers`,
      what: 'alone',
      figures: { settlements: perSecond(alone.perSecond), 'tried again': String(alone.triedAgain) },
    },
    {
      table: `settlements by ${writers} writers`,
      what: 'while refreshes run',
      figures: {
        settlements: perSecond(beside.perSecond),
        'of alone': ratio(beside.perSecond, alone.perSecond),
        'tried again': String(beside.triedAgain),
      },
    },
  ];
}

/** A new database with all that settles and refreshes, over the same fleet. */
async function open(uri: string, database: string) {
  const connection = await connectMongo({ uri: withDatabase(uri, database) });
  const store = createIntentStore(connection);
  const marks = createMarkStore(connection);
  const leases = createLeases({ connection, owner: 'bench', logger: silentLogger });
  const parts = {
    marks,
    rollups: createRollupStore(connection),
    cards: createCardStore(connection),
    outcomes: createOutcomeStore(connection),
    inTransaction: createInTransaction(connection),
  };
  await prepareCollections(connection);
  await leases.seed(reputationLeases);
  const feature = createReputationFeature({
    ...parts,
    leases,
    fleet: fleet(),
    ledger: null,
    publicCache: false,
    clock: Date.now,
    random: Math.random,
    logger: silentLogger,
  });
  return { ...parts, connection, store, feature, close: () => connection.close() };
}

function fleet() {
  const all = Array.from({ length: anchors }, (_, index): AnchorSummary => {
    const id = anchorId(index);
    const served = corridors.map((corridor) => ({ corridor, deliveryMethods: ['bank_account'] }));
    const since = { onboardedAt: '2026-01-01T00:00:00.000Z', delistedAt: null };
    return {
      id,
      name: id,
      note: null,
      status: 'active',
      simulated: true,
      homeDomain: null,
      corridors: served,
      ...since,
    };
  });
  return {
    listAnchors: async () => ({ items: all, nextCursor: null }),
    corridors: () => corridors.map((id) => ({ id, speedTargetSeconds: 600 })),
    getAnchor: async (id: string) => all.find((each) => each.id === id) as AnchorSummary,
  };
}

function anchorId(index: number): string {
  return `anchor-${String(index % anchors).padStart(4, '0')}`;
}

/** Leaves outcomes of as many accounts behind, on the days before today, and has them counted. */
async function remember(fixture: Fixture, count: number, context: BenchContext): Promise<void> {
  context.say(`leaving ${count} outcomes behind …`);
  const now = Date.now();
  for (let from = 0; from < count; from += chunk) {
    context.signal.throwIfAborted();
    const outcomes = Array.from({ length: chunk }, (_, index) => pastOutcome(from + index, now));
    await fixture.connection
      .collection('intents')
      .insertMany(outcomes as never[], { ordered: false, timeoutMS: 60_000 });
  }
  await markEveryDay(fixture);
  for (let more = true; more; ) {
    const run = await fixture.feature.refresh();
    more = run.ran && run.value.more;
  }
}

function pastOutcome(index: number, now: number) {
  const intent = settledIntent(anyAccount);
  const place = Math.floor(index / (days - 1));
  const recordedAt = new Date(now - (1 + (index % (days - 1))) * dayMs);
  return {
    ...intent,
    account: `G${index}`,
    anchorId: anchorId(place),
    corridor: corridors[Math.floor(place / anchors) % corridors.length] ?? '',
    outcome: intent.outcome && { ...intent.outcome, recordedAt, settleSeconds: 30 + (index % 600) },
  };
}

/** Settles one intent in every corridor of every anchor, then refreshes. */
async function settleAndRefresh(fixture: Fixture): Promise<{ refreshMs: number }> {
  for (let index = 0; index < settlements; index += 1) await settleOne(fixture, index);
  const startedAt = performance.now();
  const run = await fixture.feature.refresh();
  if (!run.ran || run.value.days !== settlements)
    throw new Error('the refresh did not count every marked day');
  return { refreshMs: performance.now() - startedAt };
}

/** Returns how often the transaction was tried. */
async function settleOne(fixture: Fixture, index: number): Promise<number> {
  const place = {
    anchorId: anchorId(index),
    corridor: corridors[Math.floor(index / anchors) % corridors.length] ?? '',
  };
  const after = { ...settledIntent(anyAccount), account: randomBytes(8).toString('hex'), ...place };
  const before = { ...after, outcome: null, status: 'pending' } as const;
  await fixture.store.insertAll([before]);
  let tries = 0;
  await fixture.inTransaction(async (session) => {
    tries += 1;
    await fixture.store.saveProgress({ before, after }, session);
    await fixture.connection.collection('outbox').insertOne({ of: after._id }, { session });
    await fixture.marks.insert(session, daysOf(after));
  });
  return tries;
}

/** Settlements by all writers at once. */
async function settle(fixture: Fixture, forMs: number): Promise<{ perSecond: number; triedAgain: number }> {
  const startedAt = performance.now();
  let [settled, triedAgain] = [0, 0];
  const writer = async (place: number) => {
    for (let index = place; performance.now() - startedAt < forMs; index += writers) {
      const tried = await settleOne(fixture, index % settlements);
      triedAgain += tried - 1;
      settled += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, place) => writer(place)));
  return { perSecond: (settled * 1_000) / (performance.now() - startedAt), triedAgain };
}

async function settleBesideRefreshes(fixture: Fixture, forMs: number) {
  let over = false;
  const refreshing = (async () => {
    while (!over) await fixture.feature.refresh();
  })();
  const settled = await settle(fixture, forMs);
  over = true;
  await refreshing;
  return settled;
}
