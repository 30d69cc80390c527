import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { newClient } from '../../fixtures/new-client.js';
import { startTestApp } from '../../support/app.js';
import { type OpenStream, openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await intentsFixture({ anchors: ['harbour'] });

const { config } = fixture.app;
const world = { clock: fixture.now };
const other = await startTestApp({ uri: config.mongodbUri, simulated: fixture.anchors, world });
afterAll(() => other.close());

function follow(intentHash: string) {
  return openStream<IntentAnswer>(other.url, `/api/intent/${intentHash}/stream`, { headers: newClient() });
}

it('a change on one instance reaches a stream on another within two seconds', async () => {
  const terms = fixture.terms();
  const { body } = await fixture.post(terms);
  const stream = await follow(body.intentHash);
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
  const streams = await Promise.all(Array.from({ length: 30 }, () => follow(body.intentHash)));
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

it('a newcomer is served while any client holds two more streams than it, though 25 addresses hold all 500', async () => {
  const open = (client: string) =>
    openStream(other.url, '/api/rates/usdc-ngn/stream', { headers: { 'x-forwarded-for': client } });
  const metrics = async () => (await other.client.request<string>('GET', '/metrics')).body;
  // On a busy machine the anchor may answer too late at first, and is asked again after a pause.
  await waitFor(async () => {
    await fixture.pass(60_000);
    const { status } = await other.client.request('GET', '/api/rates/usdc-ngn', { headers: newClient() });
    expect(status).toBe(200);
  });
  const held: OpenStream<unknown>[] = [];
  for (let n = 0; n < 25; n += 1)
    held.push(...(await Promise.all(Array.from({ length: 20 }, () => open(`203.0.113.${n}`)))));
  expect(held.map(({ status }) => status)).toEqual(Array(500).fill(200));
  const ended = { count: 0 };
  for (const stream of held) stream.ended.then(() => (ended.count += 1));

  const newcomers: OpenStream<unknown>[] = [];
  for (let n = 0; n < 20; n += 1) newcomers.push(await open('198.51.100.1'));
  // With nineteen streams it holds one less than those who hold most.
  expect(newcomers.map(({ status }) => status)).toEqual([...Array(19).fill(200), 503]);
  expect(newcomers.at(-1)?.headers['retry-after']).toBe('10');
  await waitFor(() => expect(ended.count).toBe(19));
  const text = await metrics();
  expect(text).toContain('fairlead_streams 500');
  expect(text).toContain('fairlead_streams_refused_total{reason="displaced"} 19');

  for (const stream of [...held, ...newcomers]) stream.close();
  await waitFor(async () => expect(await metrics()).toContain('fairlead_streams 0'));
}, 60_000);
