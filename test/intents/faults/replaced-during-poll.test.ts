import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type LoopbackServer, listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { attachment } from '../../../server/features/intents/holder/ownership.rules.js';
import { reconcileLease } from '../../../server/features/intents/polls/reconcile.js';
import { newIntent } from '../../../server/features/intents/registration/new-intent.rules.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { account, freshState } from '../../fixtures/intents/intent-states.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let connection: Connection;
let anchor: LoopbackServer;
/** Called with each poll, which is answered by what it does to the response. */
let onPoll: (id: string, response: ServerResponse) => Promise<void>;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  anchor = await listenOnLoopback((request, response) => {
    const id = new URL(request.url ?? '', 'http://anchor').searchParams.get('id') ?? '';
    void onPoll(id, response);
  });
});
afterAll(async () => {
  await anchor.stop();
  await connection.close();
});

const answers = {
  'that it does not know the old id': (response: ServerResponse) => {
    response.statusCode = 404;
    response.end('{}');
  },
  'with a record of the old id': (response: ServerResponse) => {
    const transaction = { id: 'old', kind: 'deposit', status: 'completed', amount_out: '1' };
    response.end(JSON.stringify({ transaction }));
  },
};

it.each(Object.entries(answers))(
  'an id that replaced another one during a poll is not judged by the answer %s',
  async (name, answer) => {
    const intents = openIntents(connection, { origin: anchor.origin, owner: 'test', leaseTtlMs: 5_000 });
    await prepareCollections(connection);
    await intents.leases.seed([reconcileLease]);
    const { sellAsset, buyAsset } = freshState().corridorTerms;
    const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: '100', nonce: '' };
    const bare = newIntent({
      intentHash: name,
      body: terms,
      corridor: { id: 'usdc-ngn', sellAsset, buyAsset, overdueAfterSeconds: 86_400 },
      quote: null,
      nowMs: Date.now() - 1_000,
    });
    const intent = attachment(bare, 'old', bare.createdAt, false);
    await insertIntents(connection, intent);
    const asked: string[] = [];
    onPoll = async (id, response) => {
      asked.push(id);
      if (id === 'new') {
        response.end(JSON.stringify({ transaction: { id, kind: 'withdrawal', status: 'pending_anchor' } }));
        return;
      }
      const after = attachment(intent, 'new', new Date(), false);
      await intents.store.saveProgress({ before: intent, after });
      answer(response);
    };
    await intents.reconcile();
    // The new id is looked for in the same run, because attaching makes the intent due at once.
    expect(asked).toEqual(['old', 'new']);
    expect(await intents.store.findByHash(name)).toMatchObject({
      transactionId: 'new',
      status: 'pending',
      problem: null,
      unscoredReason: null,
      observations: { status: 'pending_anchor' },
    });
    await intentDocuments(connection).deleteMany({});
    await intents.close();
  },
);
