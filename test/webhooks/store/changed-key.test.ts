import { expect, it } from '@jest/globals';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { open, receiver } = closedAfterEach(uri);

/** Checks what docs/operations/configure.md says about changing WEBHOOK_KEY. */
it('under another WEBHOOK_KEY deliveries wait for a new secret, and are then signed with that one alone', async () => {
  const to = await receiver();
  const before = await open({ allow: [to.origin], webhookKey: 'a1'.repeat(32) });
  const { id } = await before.register(to.origin);
  await before.emitTicks(1);

  const after = await open({ allow: [to.origin], webhookKey: 'b2'.repeat(32) });
  await after.deliveries.work();
  expect(to.received).toEqual([]);
  expect(await after.webhooks.get(id)).toMatchObject({ enabled: true });

  // The old secret, sealed with the old key, is stored next to the new one for the overlap, but signs nothing.
  const renewed = 'a new secret under the new key';
  await after.webhooks.rotateSecret(id, { secret: renewed });
  await after.deliverAllDue();
  expect(to.received).toHaveLength(1);
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = to.received;
  verifyWebhook({ body, headers, secret: renewed });
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(1);
});

it('a delivery that only an earlier secret signs is not logged as signed with the present one', async () => {
  const to = await receiver();
  const before = await open({ allow: [to.origin], webhookKey: 'a1'.repeat(32) });
  const { id } = await before.register(to.origin);
  const after = await open({ allow: [to.origin], webhookKey: 'b2'.repeat(32) });
  await after.webhooks.rotateSecret(id, { secret: 'sealed under the key that is taken back' });

  const again = await open({ allow: [to.origin], webhookKey: 'a1'.repeat(32) });
  await again.emitTicks(1);
  await again.deliverAllDue();
  const [only] = await again.deliveriesOf(id);
  expect(only?.attempts).toMatchObject([{ outcome: 'acknowledged', signedWith: 'former' }]);
});
