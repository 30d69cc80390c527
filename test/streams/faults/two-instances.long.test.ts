import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IntentTransition } from '../../../contract/schemas/intents.js';
import { intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type OpenStream, openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = intentsFixture({ anchors: ['harbour'] });
let other: TestApp;

beforeAll(async () => {
  const { config } = fixture.app;
  other = await startTestApp({
    uri: config.mongodbUri,
    simulated: fixture.anchors,
    world: { clock: fixture.now },
  });
});
afterAll(() => other.close());

const follow = (app: TestApp, intentHash: string, seen = 0) =>
  openStream<IntentTransition>(app.url, `/api/intent/${intentHash}/stream`, {
    headers: { 'last-event-id': String(seen), 'x-forwarded-for': '192.0.2.77' },
  });
const toldBy = (...streams: OpenStream<IntentTransition>[]) =>
  streams.flatMap(({ events }) => events.map(({ data: { intent: _, ...rest } }) => rest));

async function passMinutes(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    await fixture.pass(minute);
    await fixture.settle();
  }
}

it('a transition that one instance makes is seen on the other, and either resumes what the other began', async () => {
  const id = await fixture.begin('harbour');
  const terms = fixture.terms();
  const { body } = await fixture.post(terms);
  const whole = await follow(other, body.intentHash);
  const first = await follow(fixture.app, body.intentHash);
  await first.received(1);
  await whole.received(1);
  await fixture.post({ ...terms, anchorTransactionId: id });
  await first.received(2);
  first.close();
  const second = await follow(other, body.intentHash, 2);
  await passMinutes(1);
  await second.received(1);
  fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
  await waitFor(async () => {
    await passMinutes(1);
    expect(second.events.length).toBeGreaterThan(1);
  });
  second.close();
  const seen = 2 + second.events.length;
  const third = await follow(fixture.app, body.intentHash, seen);
  await passMinutes(10);
  if (third.status === 200) expect(await third.ended).toBe(true);
  expect(await whole.ended).toBe(true);
  expect(toldBy(first, second, third)).toEqual(toldBy(whole));
  expect(whole.events.at(-1)?.data).toMatchObject({ kind: 'settled', last: true });
  for (const app of [fixture.app, other])
    expect((await follow(app, body.intentHash, whole.events.length)).status).toBe(204);
});
