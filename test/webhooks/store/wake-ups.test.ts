import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import { until } from '../../fixtures/webhooks/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { openTowards, openWithReceiver } = closedAfterEach(uri);

describe('an instance that delivers', () => {
  it('is woken by the commit of an event, long before the next poll', async () => {
    const { to, fixture } = await openWithReceiver();
    await fixture.register(to.origin);
    fixture.start({ pollMs: 60_000 });
    await delay(500);
    for (let count = 1; count <= 3; count += 1) {
      await fixture.emitTicks(count);
      await until(() => to.received.length === count);
    }
  });

  it('is woken by the commit of an event also after a rush of 300 of them', async () => {
    const { to, fixture } = await openWithReceiver();
    await fixture.register(to.origin);
    fixture.start({ pollMs: 60_000 });
    await delay(500);
    let sent = 0;
    for (let rush = 0; rush < 2; rush += 1) {
      await fixture.emitMany(300);
      sent += 300;
      await until(() => to.received.length === sent);
      await delay(1_000);
      await fixture.emitTicks(2);
      sent += 1;
      await until(() => to.received.length === sent);
    }
  });

  it('finds events by its poll where no change stream wakes it', async () => {
    const { to, fixture } = await openWithReceiver();
    await fixture.register(to.origin);
    fixture.start({ changeStream: false, pollMs: 200 });
    for (let count = 1; count <= 3; count += 1) {
      await fixture.emitTicks(count);
      await until(() => to.received.length === count);
    }
  });

  it('retries by itself, each time no earlier than the delay after the failure', async () => {
    const retry = { baseMs: 300, factor: 2, maxMs: 5_000, jitter: 0 };
    const { to, fixture, status } = await openWithReceiver({ limits: { retry } });
    status.now = 500;
    const { id } = await fixture.register(to.origin);
    fixture.start({ pollMs: 50 });
    await fixture.emitTicks(1);
    await until(async () => (await fixture.deliveriesOf(id))[0]?.state === 'exhausted');
    const gaps = to.received.slice(1).map((post, index) => post.at - (to.received[index]?.at ?? 0));
    expect(gaps).toHaveLength(3);
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(300 * 2 ** index);
    await until(() => fixture.counted.get('exhausted') === 1);
  });

  it('retries on time while a backlog of events is being sent to another webhook', async () => {
    const retry = { baseMs: 300, factor: 2, maxMs: 5_000, jitter: 0 };
    const failsOnce = { seen: 0 };
    const { to, fixture } = await openTowards(
      (response, { path }) => {
        if (path === '/retried') failsOnce.seen += 1;
        response.writeHead(path === '/retried' && failsOnce.seen === 1 ? 500 : 200).end();
      },
      { limits: { retry } },
    );
    await fixture.register(`${to.origin}/retried`, ['anchor.onboarded']);
    await fixture.register(`${to.origin}/quick`);
    await fixture.emit('anchor.onboarded', {
      anchorId: 'harbour',
      name: 'Harbour',
      corridors: [],
      simulated: true,
    });
    await fixture.emitMany(6_000);
    fixture.start({ pollMs: 100 });
    await until(() => failsOnce.seen === 2);
    const waiting = await fixture.connection.collection('outbox').countDocuments({ open: true });
    expect(waiting).toBeGreaterThan(0);
  });
});
