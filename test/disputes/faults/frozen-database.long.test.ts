import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DisputeAnswer } from '../../../contract/schemas/disputes.js';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { disputeOf, falseSignature, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const answerWithinMs = 9_000;
const owner = signer('ada');

let mongo: PrivateMongo;
let app: TestApp;
let simulated: Awaited<ReturnType<typeof startSimulatedAnchors>>;

beforeAll(async () => {
  mongo = await privateMongo();
  simulated = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour'],
  });
  app = await startTestApp({ uri: mongo.uri, simulated });
});
afterAll(async () => {
  await app.close();
  await simulated.stop();
  await mongo.stop();
});

async function addIntent(): Promise<Intent> {
  const intent = storedIntent(owner.account, 'settled');
  await insertIntents(app.connection, intent);
  return intent;
}

async function file(body: unknown, address: string) {
  const startedAt = performance.now();
  const { status } = await app.client.request<DisputeAnswer>('POST', '/api/reputation/dispute', {
    headers: { 'x-forwarded-for': address },
    body,
  });
  return { status, elapsedMs: performance.now() - startedAt };
}

const many = (count: number, work: () => ReturnType<typeof file>) =>
  Promise.all(Array.from({ length: count }, work));

describe('while the database does not answer', () => {
  it('verifies no signature, answers everyone in time, and verifies at most ten in all afterwards', async () => {
    const bad = { ...disputeOf(await addIntent(), owner), signature: falseSignature };
    const send = () => file(bad, '198.51.100.1');
    const first = await many(3, send);
    mongo.freeze();
    const frozen = await many(30, send);
    mongo.thaw();
    for (const { status, elapsedMs } of frozen) {
      // Its instance grants an address ten further attempts meanwhile.
      expect([503, 429]).toContain(status);
      expect(elapsedMs).toBeLessThan(answerWithinMs);
    }
    await waitFor(async () => expect((await file(bad, '198.51.100.2')).status).toBe(403), {
      timeout: 10_000,
    });
    const after = await many(20, send);
    const verified = [...first, ...after].filter(({ status }) => status === 403);
    expect(first.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(verified.length).toBeLessThanOrEqual(10);
    expect(after.some(({ status }) => status === 429)).toBe(true);
  });

  it('refuses a genuine dispute, and files it once when it is sent again', async () => {
    const intent = await addIntent();
    const body = disputeOf(intent, owner);
    mongo.freeze();
    const turnedAway = await file(body, '198.51.100.3');
    mongo.thaw();
    expect(turnedAway.status).toBe(503);
    await waitFor(async () => expect(await (await file(body, '198.51.100.4')).status).toBeLessThan(202), {
      timeout: 10_000,
    });
    expect((await file(body, '198.51.100.5')).status).toBe(200);
    const { connection } = app;
    expect(await connection.collection('disputes').countDocuments({ intentHash: intent._id })).toBe(1);
    expect(await connection.collection('outbox').countDocuments({ 'data.intentHash': intent._id })).toBe(1);
  });
});
