import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { DeliveryDocument } from '../../../server/deliveries/delivery.rules.js';
import { closedAfterEach, gate } from '../../fixtures/deliveries/closing.js';
import { until } from '../../fixtures/deliveries/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { openTowards: open } = closedAfterEach(uri);

describe('the queue of an endpoint', () => {
  it('has eight deliveries under way, and no more', async () => {
    const { respond, waiting, seen, answerAll } = gate();
    const { to, fixture } = await open(respond);
    const { id } = await fixture.register(to.origin);
    await fixture.emitMany(40);
    fixture.start();
    await until(() => waiting.length === 8);
    await delay(300);
    expect(waiting).toHaveLength(8);
    await until(async () => {
      answerAll();
      return (await fixture.log.list(id, { state: 'delivered', limit: '100' })).items.length === 40;
    });
    expect(seen.most).toBe(8);
    expect(to.received).toHaveLength(40);
  });

  it('records at its end what it was sending, and hands back what was only claimed, uncounted and due', async () => {
    const { respond, waiting, answerAll } = gate();
    const { to, fixture } = await open(
      (response, delivery) => {
        if (to.received.length <= 100) response.writeHead(200).end();
        else respond(response, delivery);
      },
      { limits: { quickMs: 5_000, aheadMs: 5_000 } },
    );
    const { id } = await fixture.register(to.origin);
    await fixture.emitMany(160);
    fixture.start();
    await until(() => waiting.length === 8);
    // The endpoint answered quickly, so more deliveries are claimed for it than are being sent.
    const deliveries = fixture.connection.collection<DeliveryDocument>('deliveries');
    expect(await deliveries.countDocuments({ owner: { $ne: null } })).toBeGreaterThan(8);
    const stopping = fixture.stop();
    await delay(200);
    answerAll();
    await stopping;
    const posted = to.received.length;
    expect(posted).toBe(108);
    const all = await deliveries.find().toArray();
    const waitingStill = all.filter(({ state }) => state === 'pending');
    expect(all.filter(({ state }) => state === 'delivered')).toHaveLength(posted);
    expect(waitingStill).toHaveLength(160 - posted);
    for (const delivery of waitingStill) {
      expect(delivery).toMatchObject({ owner: null, attempt: 0, attempts: [] });
      expect(delivery.due.getTime()).toBeLessThanOrEqual(Date.now());
    }
    await delay(300);
    expect(to.received).toHaveLength(posted);
    const listed = await fixture.log.list(id, { state: 'pending', limit: '100' });
    expect(listed.items).toHaveLength(160 - posted);
  });
});
