import { describe, expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { until } from '../../fixtures/webhooks/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { open, openWithReceiver } = closedAfterEach(uri);

describe('a webhook that is deleted', () => {
  it('gets nothing more, and leaves no delivery behind', async () => {
    const { to, fixture, status } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    const other = await fixture.register(`${to.origin}/other`);
    status.now = 500;
    await fixture.emitTicks(1, 2);
    await fixture.deliverAllDue();
    await fixture.emitTicks(3);
    const before = to.received.filter(({ path }) => path === '/').length;
    await fixture.webhooks.remove(id);
    status.now = 200;
    await fixture.age(10_000);
    await fixture.deliveries.work();
    await until(() => to.received.filter(({ path }) => path === '/other').length === 5);
    expect(to.received.filter(({ path }) => path === '/')).toHaveLength(before);
    await fixture.deliveries.deleteOrphans();
    const deliveries = fixture.connection.collection('deliveries');
    expect(await deliveries.countDocuments({ webhookId: id })).toBe(0);
    expect(await deliveries.countDocuments({ webhookId: other.id })).toBe(3);
    await expect(fixture.webhooks.remove(id)).rejects.toMatchObject({ code: 'UNKNOWN_WEBHOOK' });
  });

  it('leaves no delivery behind where none was waiting, and others keep theirs', async () => {
    const { to, fixture } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    const other = await fixture.register(`${to.origin}/other`);
    await fixture.emitTicks(1, 2, 3);
    await fixture.deliverAllDue();
    await fixture.webhooks.remove(id);
    const next = await open({ allow: [to.origin] });
    await next.deliveries.deleteOrphans();
    const deliveries = fixture.connection.collection('deliveries');
    expect(await deliveries.countDocuments({ webhookId: id })).toBe(0);
    expect(await deliveries.countDocuments({ webhookId: other.id })).toBe(3);
  });
});
