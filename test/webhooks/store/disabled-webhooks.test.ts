import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { closedAfterEach, sequencesOf } from '../../fixtures/webhooks/closing.js';
import { until } from '../../fixtures/webhooks/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { openWithReceiver, open, receiver } = closedAfterEach(uri);
const day = 86_400_000;

describe('a webhook that its receiver disabled', () => {
  it('holds further events, and sends them once it is enabled', async () => {
    const { to, fixture, status } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    status.now = 410;
    await fixture.emitTicks(1);
    await fixture.deliverAllDue();
    status.now = 200;
    await fixture.emitTicks(2, 3, 4);
    await fixture.deliverAllDue();
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
    const { to, fixture, status } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    status.now = 500;
    await fixture.emitTicks(1);
    await fixture.deliverAllDue();
    status.now = 404;
    await fixture.emitTicks(2);
    await fixture.deliverAllDue();
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
    const { to, fixture, status } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
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
    const { to, fixture } = await openWithReceiver();
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

  it('says since when, why and by which status, and can be enabled and disabled by hand', async () => {
    const { to, fixture, status } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    status.now = 451;
    await fixture.emitTicks(1);
    const beforeMs = Date.now();
    await fixture.deliverAllDue();
    const { disabled } = await fixture.webhooks.get(id);
    expect(disabled).toMatchObject({ reason: 'refused', status: 451 });
    expect(Date.parse(disabled?.at ?? '')).toBeGreaterThanOrEqual(beforeMs);
    expect((await fixture.webhooks.update(id, { enabled: true })).disabled).toBeNull();
    const off = await fixture.webhooks.update(id, { enabled: false });
    expect(off.disabled).toMatchObject({ reason: 'admin', status: null });
    await delay(10);
    const again = await fixture.webhooks.update(id, { enabled: false });
    expect(again.disabled).toEqual(off.disabled);
  });
});
