/** A refresh after many outcomes and after few, with the same days marked and as many outcomes on these. */
import { randomBytes } from 'node:crypto';
import type { CorridorPage } from '../../contract/schemas/corridors.js';
import { withDatabase } from '../mongod/uri.js';
import { type BenchContext, type BenchMongo, type BenchService, runInternally } from './lib/context.js';
import { type BenchRow, medianOf, ms, ratioOfRounds, rowsInTurns } from './lib/figures.js';

const [few, many] = [10_000, 1_000_000];
const days = 30;
/** How many days each round marks, today among them. */
const markedDays = 3;
const rounds = 5;
const dayMs = 86_400_000;
const chunk = 5_000;
const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';

interface Pair {
  corridor: string;
  anchorId: string;
}

type Fixture = Awaited<ReturnType<typeof open>>;

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const small = await open(context, mongod, 'few');
  const large = await open(context, mongod, 'many');
  context.say(`leaving ${few} and ${many} outcomes behind …`);
  await remember(small, few);
  await remember(large, many);
  const lines = [
    { what: `refresh after ${few} outcomes`, measure: () => settleAndRefresh(small) },
    { what: `refresh after ${many} outcomes`, measure: () => settleAndRefresh(large) },
  ];
  const { length } = large.pairs;
  const table = `${length} pairs of anchor and corridor, ${days} days; ${length * markedDays} days marked`;
  const own = (each: number) => each;
  return rowsInTurns(table, rounds, lines, (results, reference) => ({
    time: ms(medianOf(results, own)),
    'of the first': ratioOfRounds(results, reference, own),
  }));
}

/** A service on a database of its own, and an intent that it has stored, after which the others are made. */
async function open(context: BenchContext, { uri, client }: BenchMongo, database: string) {
  const service = await context.startService(withDatabase(uri, database));
  const page = (await (await fetch(`${service.url}/api/corridors`)).json()) as CorridorPage;
  const pairs = page.items.flatMap((corridor) =>
    corridor.anchors.map(({ id }): Pair => ({ corridor: corridor.id, anchorId: id })),
  );
  const terms = { ...pairs[0], account, sellAmount: '100', nonce: 'only-for-the-bench-0123456789' };
  const answer = await fetch(`${service.url}/api/intent/offramp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(terms),
  });
  if (answer.status !== 201) throw new Error(`the intent was answered ${answer.status}`);
  const db = client.db(database);
  const template = await db.collection('intents').findOne();
  const collections = {
    intents: db.collection<{ _id: string }>('intents'),
    marks: db.collection('reputation_marks'),
    events: db.collection('bench_events'),
  };
  return { service, pairs, template, client, ...collections };
}

/** An intent of the pair that was settled then; an account of its own each. */
function settled({ template }: Fixture, pair: Pair, recordedAt: Date) {
  const ending = { kind: 'settled', reason: 'completed', evidence: 'anchor', recordedAt };
  const times = { settleSeconds: 30 + Math.floor(Math.random() * 600), timesKnown: true };
  const outcome = { ...ending, ...times, shortfallPpb: 0, amountOut: null };
  const _id = randomBytes(32).toString('hex');
  return { ...template, ...pair, _id, account: `G${_id}`, status: 'settled', open: false, outcome };
}

const markOf = (pair: Pair, day: Date) => ({ ...pair, day: day.toISOString().slice(0, 10) });

/** Leaves outcomes behind, on the days before today, and has all of them counted. */
async function remember(fixture: Fixture, count: number): Promise<void> {
  const { pairs, intents, marks } = fixture;
  const pairOf = (number: number) => pairs[Math.floor(number / days) % pairs.length] as Pair;
  // A marked day is counted from all its outcomes: what is more than the few lies on days that no round marks.
  const firstOf = (number: number) => (number < few ? 1 : markedDays);
  const daysAgo = (number: number) => firstOf(number) + (number % (days - firstOf(number)));
  const dayOf = (number: number) => new Date(Date.now() - daysAgo(number) * dayMs);
  for (let from = 0; from < count; from += chunk) {
    const numbers = Array.from({ length: chunk }, (_, index) => from + index);
    await intents.insertMany(numbers.map((each) => settled(fixture, pairOf(each), dayOf(each))));
  }
  for (const pair of pairs)
    await marks.insertMany(Array.from({ length: days }, (_, day) => markOf(pair, dayOf(day))));
  await refresh(fixture.service);
}

/** Until no mark is left. Returns how many days were counted. */
async function refresh(service: BenchService): Promise<number> {
  for (let counted = 0; ; ) {
    const { days: more, more: isMore } = await runInternally(service, '/api/reputation/refresh');
    counted += Number(more);
    if (isMore !== true) return counted;
  }
}

/** Settles one intent of each pair on each of three days, then refreshes. Returns how long the refresh took. */
async function settleAndRefresh(fixture: Fixture): Promise<number> {
  for (const pair of fixture.pairs)
    for (let ago = 0; ago < markedDays; ago += 1)
      await settleOne(fixture, pair, new Date(Date.now() - ago * dayMs));
  const startedAt = performance.now();
  await refresh(fixture.service);
  const left = await fixture.marks.countDocuments();
  if (left > 0) throw new Error(`the refresh left ${left} marks`);
  return performance.now() - startedAt;
}

/** The writes of a settlement: the intent, its event and its mark, in one transaction. */
async function settleOne(fixture: Fixture, pair: Pair, at: Date): Promise<void> {
  const { client, intents, events, marks } = fixture;
  await client.withSession((session) =>
    session.withTransaction(async () => {
      const intent = settled(fixture, pair, at);
      await intents.insertOne(intent, { session });
      await events.insertOne({ of: intent._id }, { session });
      await marks.insertOne(markOf(pair, at), { session });
    }),
  );
}
