import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IntentAnswer, IntentTransition } from '../../../contract/schemas/intents.js';
import { account } from '../../fixtures/intents/intent-states.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

let mongo: PrivateMongo;
let app: TestApp;
let clients = 0;

beforeAll(async () => {
  mongo = await privateMongo();
  app = await startTestApp({ uri: mongo.uri });
});
afterAll(async () => {
  await app.close();
  await mongo.stop();
});

/** Attaches another transaction: a transition that needs no anchor. */
async function attach(intentHash: string, nonce: string, anchorTransactionId: string): Promise<void> {
  clients += 1;
  const { status } = await app.client.request('POST', `/api/intent/${intentHash}/transaction`, {
    headers: { 'x-forwarded-for': `192.0.2.${clients}` },
    body: { nonce, anchorTransactionId },
  });
  expect(status).toBe(200);
}

it('no transition is lost or told twice when change streams are killed, or the database stops answering', async () => {
  const nonce = 'nonce-of-a-lost-database-1';
  const { body } = await app.client.request<IntentAnswer>('POST', '/api/intent/offramp', {
    body: { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: '100', nonce },
  });
  const path = `/api/intent/${body.intentHash}/stream`;
  const streams = [
    await openStream<IntentTransition>(app.url, path),
    await openStream<IntentTransition>(app.url, path),
  ];
  let told = 1;
  const attachAndSee = async () => {
    told += 1;
    await attach(body.intentHash, nonce, `attached-${told}`);
    for (const stream of streams) await stream.received(told);
  };
  await attachAndSee();
  for (let times = 0; times < 3; times += 1) {
    // This ends every cursor of the service, including the one of the change stream.
    await app.connection.db?.admin().command({ killAllSessions: [] });
    await waitFor(attachAndSee);
  }
  mongo.freeze();
  // Waits longer than the driver waits for an answer.
  await delay(4_000);
  mongo.thaw();
  await waitFor(async () => expect((await fetch(`${app.url}/readyz`)).status).toBe(200));
  await attachAndSee();
  for (const { events, close } of streams) {
    expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, place) => place + 1));
    expect(events.at(-1)?.data.intent.transaction?.id).toBe(`attached-${told}`);
    close();
  }
}, 120_000);
