import { expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { until } from '../../fixtures/webhooks/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { openWithReceiver } = closedAfterEach(uri);

it('a webhook that is deleted gets nothing more, and leaves no delivery behind; others keep theirs', async () => {
  const { to, fixture, status } = await openWithReceiver();
  const { id } = await fixture.register(to.origin);
  const other = await fixture.register(`${to.origin}/other`);
  status.now = 500;
  await fixture.emitTicks(1, 2);
  await fixture.deliverAllDue();
  await fixture.emitTicks(3);
  const before = to.received.filter(({ path }) => path === '/').length;
  const deliveries = fixture.connection.collection('deliveries');
  const left = (webhookId: string) => deliveries.countDocuments({ webhookId });
  expect(await left(id)).toBe(2);
  await fixture.webhooks.remove(id);
  await until(async () => (await left(id)) === 0);
  status.now = 200;
  await fixture.age(10_000);
  await fixture.deliveries.work();
  await until(() => to.received.filter(({ path }) => path === '/other').length === 5);
  expect(to.received.filter(({ path }) => path === '/')).toHaveLength(before);
  expect(await left(other.id)).toBe(3);
  await expect(fixture.webhooks.remove(id)).rejects.toMatchObject({ code: 'UNKNOWN_WEBHOOK' });
});
