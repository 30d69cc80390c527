import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { disputeOf, type Signer, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';
import { type MongoProxy, startMongoProxy } from './database-proxy.js';

/** The commands that recording a dispute sends, in order, each by words that only that command contains. */
const steps = [
  { step: 'the dispute', words: ['insert', 'disputes', 'filedBy'] },
  { step: 'the event', words: ['insert', 'outbox', 'dispute.created'] },
  { step: 'the commit', words: ['commitTransaction'] },
];

let mongo: PrivateMongo;
let proxy: MongoProxy;
let simulated: SimulatedAnchors;
let app: TestApp;
let clients = 0;

beforeAll(async () => {
  mongo = await privateMongo();
  proxy = await startMongoProxy(mongo.uri);
  simulated = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour'],
  });
  app = await startTestApp({ uri: proxy.uri, simulated });
});
afterAll(async () => {
  await app?.close();
  await simulated?.stop();
  await proxy?.stop();
  await mongo?.stop();
});

async function file(intent: Intent, key: Signer): Promise<number> {
  clients += 1;
  const headers = { 'x-forwarded-for': `203.0.113.${clients}` };
  const body = disputeOf(intent, key);
  return (await app.client.request('POST', '/api/reputation/dispute', { headers, body })).status;
}

/** The number of disputes and events of the intent. */
async function written(intent: Intent) {
  const { connection } = app;
  return {
    disputes: await connection.collection('disputes').countDocuments({ intentHash: intent._id }),
    events: await connection.collection('outbox').countDocuments({ 'data.intentHash': intent._id }),
  };
}

describe('a dispute when the database stops while it is recorded', () => {
  it.each(steps)(
    'just before $step: is recorded with its event or not at all, and once when sent again',
    async ({ step, words }) => {
      const key = signer(`stopped before ${step}`);
      const intent = storedIntent(key.account, 'settled');
      await insertIntents(app.connection, intent);
      let stopped = false;
      proxy.before(words, () => {
        stopped = true;
        mongo.freeze();
      });
      expect(await file(intent, key)).toBe(503);
      expect(stopped).toBe(true);
      mongo.thaw();
      // Commands that were under way at the stop arrive now.
      await waitFor(
        async () => {
          const seen = await written(intent);
          expect([0, 1]).toContain(seen.disputes);
          expect(seen).toEqual({ disputes: seen.disputes, events: seen.disputes });
        },
        { timeout: 15_000 },
      );
      await waitFor(async () => expect(await file(intent, key)).toBeLessThan(202), {
        timeout: 20_000,
        interval: 200,
      });
      expect(await file(intent, key)).toBe(200);
      expect(await written(intent)).toEqual({ disputes: 1, events: 1 });
    },
    60_000,
  );
});
