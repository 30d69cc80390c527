import { describe, expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/deliveries/closing.js';
import { until } from '../../fixtures/deliveries/delivery-fixture.js';
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
    await fixture.deliverAllDue();
    expect(to.received.filter(({ path }) => path === '/')).toHaveLength(before);
    const deliveries = fixture.connection.collection('deliveries');
    expect(await deliveries.countDocuments({ webhookId: id })).toBe(0);
    expect(await deliveries.countDocuments({ webhookId: other.id })).toBe(3);
    await expect(fixture.webhooks.remove(id)).rejects.toMatchObject({ code: 'UNKNOWN_WEBHOOK' });
  });

  it('leaves no delivery behind, also where none was waiting', async () => {
    const { to, fixture } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    await fixture.emitTicks(1, 2, 3);
    await fixture.deliverAllDue();
    const deliveries = fixture.connection.collection('deliveries');
    expect(await deliveries.countDocuments({ webhookId: id, open: false })).toBe(3);
    await fixture.webhooks.remove(id);
    await until(async () => (await deliveries.countDocuments({ webhookId: id })) === 0);
  });

  it('leaves no delivery behind, also where the database failed while they were deleted', async () => {
    const { to, fixture } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    await fixture.emitTicks(1, 2, 3);
    await fixture.deliverAllDue();
    const { dropSome } = fixture.store;
    let failures = 0;
    fixture.store.dropSome = async () => {
      fixture.store.dropSome = dropSome;
      failures += 1;
      throw new Error('the database was away');
    };
    await fixture.webhooks.remove(id);
    await until(async () => failures === 1);
    const deliveries = fixture.connection.collection('deliveries');
    expect(await deliveries.countDocuments({ webhookId: id })).toBe(3);
    await fixture.deliveries.dispatch();
    await until(async () => (await deliveries.countDocuments({ webhookId: id })) === 0);
  });

  it('leaves no delivery behind, also where the process that deleted it was killed before it had deleted them', async () => {
    const { to, fixture } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    const other = await fixture.register(`${to.origin}/other`);
    await fixture.emitTicks(1, 2, 3);
    await fixture.deliverAllDue();
    await fixture.connection.collection<{ _id: string }>('webhooks').deleteOne({ _id: id });
    const next = await open({ allow: [to.origin] });
    await next.deliveries.dispatch();
    const deliveries = fixture.connection.collection('deliveries');
    await until(async () => (await deliveries.countDocuments({ webhookId: id })) === 0);
    expect(await deliveries.countDocuments({ webhookId: other.id })).toBe(3);
  });
});
