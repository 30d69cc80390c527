import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type EventName, eventNames } from '../../../contract/schemas/events.js';
import { publicKeyOf } from '../../../contract/verification/ed25519.js';
import { signDispute } from '../../../contract/verification/sign-dispute.js';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { startReceiver } from '../../fixtures/webhooks/receiver.js';
import { startTestApp, testAdminKey, testCronSecret } from '../../support/app.js';
import { expectFor } from '../../support/expect-for.js';
import { waitFor } from '../../support/wait-for.js';

const secret = 'a secret that the tests share';
const wallet = randomBytes(32);
const account = encodePublicKey(publicKeyOf(wallet));

const receiver = await startReceiver();
const fixture = await intentsFixture({
  anchors: ['harbour'],
  allow: [receiver.origin],
  env: { PUBLISHER_SECRET_KEY: randomBytes(32).toString('hex') },
});
afterAll(() => receiver.stop());

const admin = { 'x-admin-key': testAdminKey };
const cron = { authorization: `Bearer ${testCronSecret}` };

async function post(path: string, headers: Record<string, string>, body?: unknown) {
  const answer = await fixture.app.client.request<{ id: string }>('POST', path, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  expectFor(JSON.stringify(answer.body), answer.status).toBeLessThan(300);
  return answer.body;
}

/** One off-ramp that the service sees before it is paid, and then with the anchor's final record. */
async function offRamp(ending: Record<string, unknown>): Promise<string> {
  const anchor = fixture.anchors.anchor('harbour');
  const anchorTransactionId = await fixture.begin('harbour', { account });
  const { body } = await fixture.post(fixture.terms({ account, anchorTransactionId }));
  await fixture.settle();
  anchor.pay(anchorTransactionId, { ending: 'stuck' });
  await fixture.pass(60_000);
  await fixture.settle();
  anchor.amend(anchorTransactionId, ending);
  await fixture.pass(60_000);
  await fixture.settle();
  return body.intentHash;
}

/** Starts another instance whose fleet has one more anchor. */
async function growFleet(): Promise<void> {
  const { uri } = { uri: fixture.app.config.mongodbUri };
  const simulated = await startSimulatedAnchors({
    clock: fixture.now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour', 'windlass'],
  });
  const second = await startTestApp({ uri, simulated, world: { clock: fixture.now } });
  await second.close();
  await simulated.stop();
}

describe('every event', () => {
  it('reaches a subscriber from its real cause, signed, and as the document has it', async () => {
    await post('/api/admin/webhooks', admin, { url: `${receiver.origin}/hook`, events: eventNames, secret });
    const settled = await offRamp({ status: 'completed', amount_out: '150000' });
    await offRamp({ status: 'refunded', refunds: { amount_refunded: '100', amount_fee: '0', payments: [] } });
    const dispute = signDispute({
      intentHash: settled,
      anchorId: 'harbour',
      reason: 'Nothing arrived.',
      secretKey: wallet,
    });
    const { id } = await post('/api/reputation/dispute', {}, dispute);
    await post('/api/admin/disputes', admin, { id, action: 'accept' });
    await growFleet();
    await post('/api/reputation/refresh', cron);
    await post('/api/publisher/tick', cron);

    await waitFor(
      async () =>
        expect(await new Set(receiver.received.map(({ headers }) => headers['x-fairlead-event'])).size).toBe(
          eventNames.length,
        ),
      {
        timeout: 20_000,
      },
    );
    const events = receiver.received.map(({ headers, body }) =>
      verifyWebhook({ body, headers: headers as Record<string, string>, secret, now: fixture.now() }),
    );
    expect(receiver.faults).toEqual([]);
    const counts = Object.fromEntries(
      eventNames.map((name: EventName) => [name, events.filter(({ event }) => event === name).length]),
    );
    expect(counts).toEqual(Object.fromEntries(eventNames.map((name) => [name, 1])));
  });
});
