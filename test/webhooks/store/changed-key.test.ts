import { afterEach, expect, it } from '@jest/globals';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import {
  type HarnessOptions,
  openWebhooks,
  type WebhooksHarness,
} from '../../fixtures/deliveries/delivery-instance.js';
import { startReceiver } from '../../fixtures/deliveries/receiver.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** What docs/operations.md tells those who change WEBHOOK_KEY. */
it('under another WEBHOOK_KEY a webhook waits until it is given a new secret, and then gets all, signed by that', async () => {
  const to = await startReceiver();
  closers.push(to.stop);
  const open = async (options: Partial<HarnessOptions>): Promise<WebhooksHarness> => {
    const harness = await openWebhooks({ uri, allow: [to.origin], world: { now: Date.now() }, ...options });
    closers.push(harness.close);
    return harness;
  };
  const before = await open({ webhookKey: 'a1'.repeat(32) });
  const { id } = await before.register(to.origin);
  await before.emitTick();

  const after = await open({ webhookKey: 'b2'.repeat(32) });
  await after.dispatcher.runOnce();
  expect(to.received).toEqual([]);
  expect(await after.admin.get(id)).toMatchObject({ enabled: true });

  // The old secret, sealed with the old key, stands beside the new one for the overlap and signs nothing.
  const renewed = 'a new secret under the new key';
  await after.admin.rotateSecret(id, { secret: renewed });
  await after.dispatcher.runOnce();
  expect(to.received).toHaveLength(1);
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = to.received;
  verifyWebhook({ body, headers, secret: renewed, now: after.world.now });
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(1);
});

it('a secret stored in the clear is sealed beside one that another WEBHOOK_KEY has sealed', async () => {
  const world = { now: Date.now() };
  const open = async (options: Partial<HarnessOptions>): Promise<WebhooksHarness> => {
    const harness = await openWebhooks({ uri, allow: ['http://127.0.0.1:9'], world, ...options });
    closers.push(harness.close);
    return harness;
  };
  const first = await open({ webhookKey: 'a1'.repeat(32) });
  const { id } = await first.register('http://127.0.0.1:9');
  const clear = await open({});
  await clear.admin.rotateSecret(id, { secret: 'given without any key' });
  const second = await open({ webhookKey: 'b2'.repeat(32) });
  const row = await second.connection.collection<{ _id: string }>('webhooks').findOne({ _id: id });
  expect(JSON.stringify(row)).not.toContain('given without any key');
});
