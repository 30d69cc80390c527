import { describe, expect, it } from '@jest/globals';
import { createWebhookStore } from '../../../server/webhooks/webhook-store.js';
import { closedAfterEach, sequencesOf } from '../../fixtures/webhooks/closing.js';
import { until } from '../../fixtures/webhooks/delivery-fixture.js';

const { open, openTowards, receiver, subscribed } = closedAfterEach();
const day = 86_400_000;

describe('a webhook that its receiver disabled', () => {
  it('holds further events, and sends them once it is enabled', async () => {
    const { to, fixture, status, id, deliver } = await subscribed();
    status.now = 410;
    await deliver(1);
    status.now = 200;
    await deliver(2, 3, 4);
    expect(sequencesOf(to)).toEqual([1]);
    const held = await fixture.log.list(id, { state: 'held' });
    expect(held.items.map(({ state, nextAttemptAt }) => [state, nextAttemptAt])).toEqual(
      Array(3).fill(['held', null]),
    );
    expect((await fixture.log.list(id, { state: 'pending' })).items).toEqual([]);

    await fixture.age(29 * day);
    await fixture.webhooks.update(id, { enabled: true });
    await fixture.deliverAllDue();
    expect(sequencesOf(to).sort()).toEqual([1, 2, 3, 4]);
    const states = (await fixture.deliveriesOf(id)).map(({ state }) => state);
    expect(states).toEqual(['delivered', 'delivered', 'delivered', 'refused']);
    expect((await fixture.log.list(id, { state: 'held' })).items).toEqual([]);
  });

  it('also holds what was waiting for a retry', async () => {
    const { to, fixture, status, id, deliver } = await subscribed();
    status.now = 500;
    await deliver(1);
    status.now = 404;
    await deliver(2);
    status.now = 200;
    await fixture.age(3_600_000);
    await fixture.deliverAllDue();
    expect(sequencesOf(to)).toEqual([1, 2]);
    await fixture.webhooks.update(id, { enabled: true });
    await fixture.deliverAllDue();
    expect(sequencesOf(to)).toEqual([1, 2, 1]);
    expect((await fixture.deliveriesOf(id)).map(({ attempts }) => attempts.length)).toEqual([1, 2]);
  });

  it('gets no more than was under way already, however much is due', async () => {
    const { to, fixture, status, id } = await subscribed();
    status.now = 403;
    await fixture.emitMany(100);
    await fixture.deliverAllDue();
    expect(to.received.length).toBeLessThanOrEqual(8);
    const states = (await fixture.deliveriesOf(id)).map(({ state }) => state);
    expect(states.filter((state) => state === 'held')).toHaveLength(100 - to.received.length);
    const held = (await fixture.log.list(id, { state: 'held', limit: '100' })).items;
    expect(held.every(({ attempts }) => attempts.length === 0)).toBe(true);
  });

  it('is not disabled again by a late refusal from its former address', async () => {
    let refuse = () => {};
    const slow = await receiver((response) => {
      refuse = () => response.writeHead(410).end();
    });
    const { to, fixture } = await openTowards((response) => response.end());
    const other = await open({ allow: [slow.origin] });
    const { id } = await other.register(slow.origin);
    await other.emitTicks(1);
    await other.deliveries.work();
    await until(() => slow.received.length > 0);
    await fixture.webhooks.update(id, { url: to.origin });
    refuse();
    await until(async () => (await fixture.deliveriesOf(id))[0]?.state === 'refused');
    expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: true, url: to.origin });
  });
});

it('every webhook of a restored database is paused, and gets what it was held once an admin enables it', async () => {
  const to = await receiver();
  const before = await open({ allow: [to.origin] });
  await before.clear();
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
  expect(await createWebhookStore(after.connection).disableAll(new Date())).toEqual(paused);

  await after.webhooks.update(id, { enabled: true });
  await after.deliverAllDue();
  expect(to.received).toHaveLength(2);
});

it('a webhook that is deleted gets nothing more, and leaves no delivery behind; others keep theirs', async () => {
  const { to, fixture, status, id, deliver } = await subscribed();
  const other = await fixture.register(`${to.origin}/other`);
  status.now = 500;
  await deliver(1, 2);
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
