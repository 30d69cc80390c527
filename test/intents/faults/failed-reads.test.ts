import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type LoopbackServer, listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import type { LookStore } from '../../../server/features/intents/look-store.js';
import { reconcileLease } from '../../../server/features/intents/reconcile.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import { waitingIntent } from '../../fixtures/intents/waiting-intents.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const { uri } = testDatabase();
let connection: Connection;
let anchor: LoopbackServer;
/** The polls that the anchor has not answered. */
let polls: ServerResponse[] = [];

beforeAll(async () => {
  connection = await connectMongo({ uri });
  anchor = await listenOnLoopback((_request, response) => {
    polls.push(response);
  });
});
afterAll(async () => {
  await anchor.stop();
  await connection.close();
});
beforeEach(async () => {
  polls = [];
  await intentDocuments(connection).deleteMany({});
});

/** The real store, in which reads fail as they do when the database is lost for a moment. */
type FailingReads = (real: LookStore, fail: () => Promise<never>) => Partial<LookStore>;

it.each<[name: string, FailingReads]>([
  [
    'the anchors with due intents',
    ({ listAnchorsWithDue }, fail) => ({
      listAnchorsWithDue: (now) => (polls.length > 0 ? fail() : listAnchorsWithDue(now)),
    }),
  ],
  [
    'the due intents that are not polled',
    (_real, fail) => ({
      async findDueUnpolled() {
        await waitFor(() => expect(polls).toHaveLength(1));
        return fail();
      },
    }),
  ],
])('a run in which the read of %s fails holds its lease until its polls have ended', async (_, failing) => {
  let failed = false;
  const lost = new Error('the database was lost');
  const fail = async () => {
    failed = true;
    throw lost;
  };
  const limits = { newAnchorsEveryMs: 1 };
  const looks = (real: LookStore) => failing(real, fail);
  const intents = openIntents(connection, {
    origin: anchor.origin,
    owner: 'test',
    leaseTtlMs: 5_000,
    limits,
    looks,
  });
  await prepareCollections(connection);
  await intents.leases.seed([reconcileLease]);
  const waiting = waitingIntent({ id: 'slow', nowMs: Date.now() - 1_000, address: '192.0.2.1' });
  await insertIntents(connection, waiting);

  const run = intents.reconcile.run().catch((error: unknown) => error);
  await waitFor(() => expect(failed).toBe(true));
  // Handing the lease back takes fewer commands than these runs.
  for (let runs = 0; runs < 5; runs += 1) expect(await intents.reconcile.run()).toMatchObject({ ran: false });
  polls[0]?.writeHead(404).end();
  expect(await run).toBe(lost);
  expect(await intents.store.findByHash(waiting._id)).toMatchObject({ unknownLooks: 1 });
  await intents.close();
});
