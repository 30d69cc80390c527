import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = intentsFixture({ anchors: ['harbour'] });
let other: TestApp;
let clients = 0;

beforeAll(async () => {
  const { config } = fixture.app;
  const world = { clock: fixture.now };
  other = await startTestApp({ uri: config.mongodbUri, simulated: fixture.anchors, world });
});
afterAll(() => other.close());

function follow(app: TestApp, intentHash: string) {
  clients += 1;
  const headers = { 'x-forwarded-for': `192.0.2.${clients}` };
  return openStream<IntentAnswer>(app.url, `/api/intent/${intentHash}/stream`, { headers });
}

it('a change on one instance reaches a stream on another within two seconds', async () => {
  const terms = fixture.terms();
  const { body } = await fixture.post(terms);
  const stream = await follow(other, body.intentHash);
  await stream.received(1);
  for (let n = 1; n <= 5; n += 1) {
    const id = `attached-${n}`;
    expect((await fixture.post({ ...terms, anchorTransactionId: id })).status).toBe(200);
    await waitFor(() => expect(stream.events.at(-1)?.data.transaction?.id).toBe(id), { timeout: 2_000 });
  }
  stream.close();
});

it('thirty streams of one intent cost the database one query a second', async () => {
  const { body } = await fixture.post(fixture.terms());
  const streams = await Promise.all(Array.from({ length: 30 }, () => follow(other, body.intentHash)));
  await Promise.all(streams.map((stream) => stream.received(1)));
  const database = other.connection.db;
  await database?.command({ profile: 2 });
  await delay(5_000);
  await database?.command({ profile: 0 });
  const queries = await database
    ?.collection('system.profile')
    .countDocuments({ 'command.find': 'intents', 'command.filter._id.$in': body.intentHash });
  expect(queries).toBeGreaterThanOrEqual(3);
  expect(queries).toBeLessThanOrEqual(6);
  for (const stream of streams) stream.close();
}, 30_000);
