import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { closedAfterEach, sequencesOf } from '../../fixtures/webhooks/closing.js';
import { until } from '../../fixtures/webhooks/delivery-fixture.js';

const { subscribed } = closedAfterEach();
const day = 86_400_000;

describe('an event', () => {
  it('goes to every webhook subscribed to it, and to no other', async () => {
    const { to, fixture } = await subscribed();
    await fixture.register(`${to.origin}/all`, ['publisher.tick', 'anchor.onboarded']);
    await fixture.register(`${to.origin}/anchors`, ['anchor.onboarded']);
    await fixture.emitTicks(1);
    const anchor = { anchorId: 'harbour', name: 'Harbour', corridors: [], simulated: true };
    await fixture.emit('anchor.onboarded', anchor);
    await fixture.deliverAllDue();
    const got = to.received.map(({ path, headers }) => `${path} ${headers['x-fairlead-event']}`).sort();
    expect(got).toEqual([
      '/ publisher.tick',
      '/all anchor.onboarded',
      '/all publisher.tick',
      '/anchors anchor.onboarded',
    ]);
    expect(to.faults).toEqual([]);
  });

  it('makes one delivery per webhook, also where it is fanned out a second time', async () => {
    const { to, fixture, deliver } = await subscribed();
    await deliver(1, 2);
    // Simulates a process that ended between creating the deliveries and marking the events.
    await fixture.connection.collection('outbox').updateMany({}, { $set: { open: true } });
    await deliver(3);
    expect(sequencesOf(to)).toEqual([1, 2, 3]);
  });

  it('is kept for 30 days, and its deliveries too', async () => {
    const { fixture } = await subscribed();
    await fixture.emitTicks(1);
    const beforeMs = Date.now();
    await fixture.deliverAllDue();
    for (const name of ['outbox', 'deliveries']) {
      const document = await fixture.connection.collection(name).findOne();
      const expiresAtMs = document?.expiresAt.getTime() - 30 * day;
      expect(expiresAtMs).toBeGreaterThanOrEqual(beforeMs - 1_000);
      expect(expiresAtMs).toBeLessThanOrEqual(Date.now());
      const indexes = await fixture.connection.collection(name).indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
      );
    }
  });
});

describe('an instance that delivers', () => {
  it('is woken by the commit of an event, long before the next poll', async () => {
    const { to, fixture } = await subscribed();
    fixture.start({ pollMs: 60_000 });
    await delay(500);
    for (let count = 1; count <= 3; count += 1) {
      await fixture.emitTicks(count);
      await until(() => to.received.length === count);
    }
  });

  it('finds events by its poll where no change stream wakes it', async () => {
    const { to, fixture } = await subscribed();
    fixture.start({ changeStream: false, pollMs: 200 });
    for (let count = 1; count <= 3; count += 1) {
      await fixture.emitTicks(count);
      await until(() => to.received.length === count);
    }
  });
});
