import { afterAll, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { listenOnLoopback } from '../../scripts/lib/loopback-server.js';
import { withDatabase } from '../../scripts/mongod/uri.js';
import { type ReferenceOracle, startReferenceOracle } from '../../scripts/reference-oracle/index.js';
import { reconcileLease } from '../../server/features/intents/polls/reconcile.js';
import type { DeliveryDocument } from '../../server/webhooks/delivery.rules.js';
import { openIntents } from '../fixtures/intents/intents-fixture.js';
import { insertIntents, intentDocuments } from '../fixtures/intents/stored-intents.js';
import {
  claimantIntent,
  contestedId,
  holderIntent,
  knownIntent,
  paidOut,
} from '../fixtures/intents/waiting-intents.js';
import { cardsOf, publisherInstance, verifyLog } from '../fixtures/publisher/publisher-instance.js';
import { insertOutcomes, openFeature, openReputationParts } from '../fixtures/reputation/reputation-parts.js';
import { failed, settled } from '../fixtures/reputation/stored-outcomes.js';
import { openDeliveries } from '../fixtures/webhooks/delivery-fixture.js';
import { outboxOf } from '../fixtures/webhooks/emit.js';
import { type Receiver, startReceiver } from '../fixtures/webhooks/receiver.js';
import { privateMongo } from '../support/database.js';
import { expectFor } from '../support/expect-for.js';
import { buildWorker, eventually } from '../support/worker-processes.js';
import { type KilledTask, killedFleet, killedIntent, leaseTtlMs } from './killed-worker.js';

/** Two rows of steps are walked at the same time, each in a database of its own. */
const lanes = ['killed-a', 'killed-b'];

const kept = ['leases', 'database_shape'];

type World = Awaited<ReturnType<typeof openWorld>>;

/** What the process that does the rest consists of, and those that are called. */
async function openWorld(name: string) {
  const uri = withDatabase(mongod.uri, name);
  const to = await startReceiver((response, delivery) => response.writeHead(world.respond(delivery)).end());
  const deliveries = await openDeliveries({ uri, allow: [to.origin] });
  const parts = await openReputationParts(uri);
  const publisher = await publisherInstance({ uri, oracleUrl: undefined, leaseTtlMs });
  const { origin } = anchor;
  const intents = openIntents(parts.connection, { origin, owner: 'the rest', leaseTtlMs });
  await intents.leases.seed([reconcileLease]);
  const world = {
    name,
    uri,
    to,
    deliveries,
    parts,
    publisher,
    intents,
    origin,
    respond: (_delivery: Receiver['received'][number]): number => 200,
    oracle: undefined as ReferenceOracle | undefined,
    documents: intentDocuments(parts.connection),
    events: async () => (await outboxOf(parts.connection).find().toArray()).map(({ event }) => event).sort(),
    /** Empties everything but the leases, and the number of the database's shape. */
    async clear() {
      const db = parts.connection.getClient().db(parts.connection.name);
      for (const { collectionName } of await db.collections())
        if (!kept.includes(collectionName)) await db.collection(collectionName).deleteMany({});
      to.received.length = 0;
      world.respond = () => 200;
    },
    async close() {
      await intents.close();
      await publisher.close();
      await parts.close();
      await deliveries.close();
      await to.stop();
      await world.oracle?.stop();
    },
  };
  return world;
}

const anchorSays: Record<string, object> = {
  'paid-out': { status: 'completed', amount_in: '100', amount_out: '150000', stellar_transaction_id: 'ab' },
  'sent-back': { status: 'refunded', amount_in: '100' },
  'never-paid': { status: 'expired' },
  [contestedId]: paidOut,
};

const mongod = await privateMongo();
afterAll(mongod.stop, 60_000);
const client = new mongo.MongoClient(mongod.uri);
// The server ends the transactions of a lost client after a minute by default; here it does so after a second.
await client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 1 });
await client.close();
const anchor = await listenOnLoopback((request, response) => {
  const id = new URL(request.url ?? '', 'http://anchor').searchParams.get('id') ?? '';
  const transaction = { id, kind: 'withdrawal', ...anchorSays[id] };
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ transaction }));
});
const start = await buildWorker<KilledTask>(new URL('./killed-worker.ts', import.meta.url));
const opened = await Promise.all(lanes.map(openWorld));
afterAll(async () => {
  await Promise.all(opened.map((world) => world.close()));
  await anchor.stop();
}, 60_000);

interface Row {
  job: KilledTask['job'];
  /** Fewest steps that the job has: a smaller number means that the steps are not counted. */
  least: number;
  prepare?(world: World): Promise<unknown>;
  /** Where it calls, if not the anchor. */
  origin?(world: World): Promise<string>;
  /** Does the rest as another process does, and checks all. `told`: what the killed one had acknowledged. */
  check(world: World, told: string): Promise<void>;
}

/** Reconciles until this many intents have ended. */
async function reconciled({ documents, intents }: World, ended: number): Promise<void> {
  await eventually(async () => {
    await documents.updateMany({ status: 'pending' }, { $set: { due: new Date(0) } });
    const { ran } = await intents.reconcile();
    const count = await documents.countDocuments({ status: { $ne: 'pending' } });
    return ran && count === ended ? true : undefined;
  });
}

const outcomes = 12;

/** Refreshes until no mark is left; the roll-up of the one day has to count every outcome, an account three at most. */
async function counted({ parts }: World, ofDay: object): Promise<void> {
  const feature = openFeature(parts, { fleet: killedFleet, now: Date.now, leaseTtlMs });
  await eventually(async () => {
    const run = await feature.refresh();
    return run.ran && (await parts.marks.count()) === 0 ? true : undefined;
  });
  expect(await parts.stored.rollups.find().toArray()).toMatchObject([ofDay]);
  expect(await parts.stored.cards.distinct('run')).toHaveLength(1);
}
const ofOutcomes = { accountDays: 3, filled: 6, notFilled: 3, shortfallPpb: 42 };

async function subscribed({ deliveries, to }: World): Promise<void> {
  for (const path of ['/one', '/two']) await deliveries.register(to.origin + path);
  await deliveries.emitTicks(1);
}

/** Once the claims of the killed process have expired, and after the longest pause before a third attempt. */
async function deliverTheRest({ deliveries }: World): Promise<void> {
  for (const ms of [20_000, 60_000]) {
    await deliveries.age(ms);
    await deliveries.deliverAllDue();
  }
}

const deliveriesIn = ({ deliveries }: World) =>
  deliveries.connection.collection<DeliveryDocument>('deliveries').find().toArray();

/** One delivery for each of two webhooks, which was sent once, and again only after an attempt of unknown outcome. */
async function expectEnded(world: World, state: 'delivered' | 'refused'): Promise<void> {
  const { deliveries, to } = world;
  const found = await deliveriesIn(world);
  expect(found).toHaveLength(2);
  // Killed between disabling the webhook and recording the refusal: the delivery is held until the webhook is enabled.
  const rows = state === 'refused' ? found.filter((row) => row.state !== 'pending') : found;
  expect(rows.map((row) => row.state)).toEqual(rows.map(() => state));
  const urls = new Map(
    (await deliveries.webhooks.list({})).items.map(({ id, url }) => [id, new URL(url).pathname]),
  );
  for (const { webhookId, body, attempt, attempts } of rows) {
    const posts = to.received.filter(({ path }) => path === urls.get(webhookId));
    const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length;
    expect(attempts).toHaveLength(attempt);
    expectFor('POSTs', posts.length).toBeGreaterThanOrEqual(attempt - unknown);
    expectFor('POSTs', posts.length).toBeLessThanOrEqual(attempt);
    for (const post of posts) expect(post.body).toBe(body);
  }
  expect(to.faults).toEqual([]);
}

const receives = async ({ to }: World) => to.origin;

const rows: Record<string, Row> = {
  'registers an intent': {
    job: 'register',
    least: 2,
    async check({ documents, intents }, told) {
      const stored = await documents.countDocuments();
      if (told !== '') expect(stored).toBe(1);
      expect(await intents.store.insert(killedIntent)).toBe(stored === 0);
      expect(await documents.countDocuments()).toBe(1);
    },
  },
  'attaches a withdrawal': {
    job: 'attach',
    least: 2,
    prepare: ({ parts }) => insertIntents(parts.connection, killedIntent),
    async check({ intents }, told) {
      const stored = await intents.store.findByHash(killedIntent._id);
      if (stored === null) throw new Error('the intent is lost');
      if (told !== '') expect(stored.transactionId).toBe('withdrawal');
      const again = await intents.attach(stored, 'withdrawal');
      expect(again).toMatchObject({ transactionId: 'withdrawal', version: 2 });
    },
  },
  'records outcomes': {
    job: 'reconcile',
    least: 8,
    prepare: ({ parts }) =>
      insertIntents(
        parts.connection,
        ...['paid-out', 'sent-back', 'never-paid'].map((id) =>
          knownIntent({ id, nowMs: Date.now() - 60_000 }),
        ),
      ),
    async check(world) {
      await reconciled(world, 3);
      expect(await world.events()).toEqual(['intent.failed', 'intent.settled']);
      await counted(world, { filled: 1, notFilled: 1, accountDays: 1 });
    },
  },
  'passes a withdrawal to its payer': {
    job: 'reconcile',
    least: 8,
    prepare: ({ parts }) =>
      insertIntents(parts.connection, holderIntent(Date.now()), claimantIntent(Date.now())),
    async check(world) {
      const [found, claims] = [{ transactionId: contestedId }, { claimedId: contestedId }];
      expect(await world.documents.countDocuments(found)).toBe(1);
      expect(await world.documents.countDocuments(claims)).toBe(1);
      await reconciled(world, 1);
      const payer = await world.intents.store.findByHash('payer');
      expect(payer).toMatchObject({ ...found, status: 'settled', unscoredReason: null });
      const left = await world.intents.store.findByHash('holder');
      expect(left).toMatchObject({ ...claims, status: 'pending', problem: 'passed_to_another' });
      expect(await world.events()).toEqual(['intent.settled']);
    },
  },
  'counts a marked day and its cards': {
    job: 'refresh',
    least: 5,
    prepare: prepareOutcomes,
    check: (world) => counted(world, ofOutcomes),
  },
  'marks every day': {
    job: 'rebuild',
    least: 1,
    async prepare(world) {
      await prepareOutcomes(world);
      await counted(world, ofOutcomes);
    },
    async check(world) {
      await world.parts.markEveryDay();
      await counted(world, ofOutcomes);
    },
  },
  'publishes and submits a batch': {
    job: 'tick',
    least: 8,
    async origin(world) {
      await world.oracle?.stop();
      world.oracle = await startReferenceOracle({ clock: Date.now });
      return world.oracle.url;
    },
    async check({ uri, oracle }) {
      const instance = await publisherInstance({ uri, oracleUrl: oracle?.url, leaseTtlMs });
      instance.setCards(cardsOf(5));
      await instance.tickSoon();
      instance.setCards(cardsOf(4, 60));
      expect(await instance.tickSoon()).toMatchObject({ result: 'published', pending: 0, failure: null });
      const batches = await verifyLog(instance.publisher);
      expect(batches.map(({ header }) => header.size)).toEqual([5, 4]);
      expect(oracle?.taken().map(({ receipt }) => receipt)).toEqual(batches.map(({ receipt }) => receipt));
      expect(await instance.events()).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
      expect(await instance.publisher.health()).toMatchObject({ status: 'ok', consecutiveFailures: 0 });
      await instance.close();
    },
  },
  'registers a webhook': {
    job: 'subscribe',
    least: 2,
    origin: receives,
    async check({ deliveries, to }, told) {
      const { items } = await deliveries.webhooks.list({});
      if (told !== '') expect(items.map(({ id }) => id)).toEqual([told]);
      await deliveries.emitTicks(1);
      await deliveries.deliverAllDue();
      expect(to.received).toHaveLength(items.length);
      expectFor('registrations', items.length).toBeLessThanOrEqual(1);
    },
  },
  'makes, sends and records deliveries, of which one fails at first': {
    job: 'deliver',
    least: 6,
    async prepare(world) {
      await subscribed(world);
      let failures = 1;
      world.respond = ({ path }) => (path === '/one' && failures-- > 0 ? 503 : 200);
    },
    origin: receives,
    async check(world) {
      await deliverTheRest(world);
      await expectEnded(world, 'delivered');
    },
  },
  'holds what a webhook refuses': {
    job: 'deliver',
    least: 6,
    async prepare(world) {
      await subscribed(world);
      world.respond = () => 410;
    },
    origin: receives,
    async check(world) {
      await deliverTheRest(world);
      await expectEnded(world, 'refused');
      await world.deliveries.emitTicks(2);
      await world.deliveries.deliverAllDue();
      world.respond = () => 200;
      // Both are disabled, and get what was held for them once they are enabled.
      for (const { id, enabled } of (await world.deliveries.webhooks.list({})).items) {
        expect(enabled).toBe(false);
        await world.deliveries.webhooks.update(id, { enabled: true });
      }
      await world.deliveries.deliverAllDue();
      await world.deliveries.deliverAllDue();
      const states = (await deliveriesIn(world)).map(({ state }) => state).sort();
      expect([
        ['delivered', 'delivered', 'delivered', 'delivered'],
        ['delivered', 'delivered', 'delivered', 'refused'],
        ['delivered', 'delivered', 'refused', 'refused'],
      ]).toContainEqual(states);
    },
  },
};

/** Kills the job at each step in turn, until it ends before it is killed. Returns the number of its steps. */
async function killedAtEach(row: Row): Promise<number> {
  let next = 1;
  let unharmed = Number.POSITIVE_INFINITY;
  const walk = async (world: World) => {
    while (next < unharmed) {
      const strikeAt = next;
      next += 1;
      await world.clear();
      const origin = (await row.origin?.(world)) ?? world.origin;
      await row.prepare?.(world);
      const { signal, code, output } = await start({ uri: world.uri, job: row.job, origin, strikeAt }).ended;
      if (signal === null) {
        expectFor(output, code).toBe(0);
        unharmed = Math.min(unharmed, strikeAt);
      }
      await row.check(world, output.trim());
    }
  };
  await Promise.all(opened.map(walk));
  return unharmed - 1;
}

describe('nothing that was acknowledged is lost, doubled or skipped where a process is killed', () => {
  it.each(Object.entries(rows))(
    'at any step as it %s',
    async (_what, row) => {
      expect(await killedAtEach(row)).toBeGreaterThanOrEqual(row.least);
    },
    240_000,
  );
});

function prepareOutcomes(world: World) {
  return insertOutcomes(world.parts, outcomes, (index) => ({
    account: `G${index % 3}`,
    outcome: index % 3 === 0 ? failed() : settled({ shortfallPpb: 7 }),
  }));
}
