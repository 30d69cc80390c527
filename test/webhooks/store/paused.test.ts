import { expect, it } from '@jest/globals';
import { createWebhookStore } from '../../../server/webhooks/webhook-store.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { open, receiver } = closedAfterEach(uri);

it('every webhook of a restored database is paused, and gets what it was held once an admin enables it', async () => {
  const to = await receiver();
  const before = await open({ allow: [to.origin] });
  const { id } = await before.register(to.origin);
  await before.emitTicks(1, 2);
  const at = new Date();
  const paused = await createWebhookStore(before.connection).disableAll(at);
  expect(paused.map(({ _id }) => _id)).toEqual([id]);

  const after = await open({ allow: [to.origin] });
  await after.deliveries.work();
  expect(to.received).toEqual([]);
  const disabled = { reason: 'admin', status: null, at: at.toISOString() };
  expect(await after.webhooks.get(id)).toMatchObject({ enabled: false, disabled });
  expect(await createWebhookStore(after.connection).disableAll(new Date())).toEqual([]);

  await after.webhooks.update(id, { enabled: true });
  await after.deliverAllDue();
  expect(to.received).toHaveLength(2);
});
