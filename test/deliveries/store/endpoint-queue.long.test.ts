import { describe, expect, it } from '@jest/globals';
import { closedAfterEach } from '../../fixtures/deliveries/closing.js';
import { until } from '../../fixtures/deliveries/delivery-fixture.js';
import type { Receiver } from '../../fixtures/deliveries/receiver.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { openTowards: open } = closedAfterEach(uri);

const at = (to: Receiver, path: string) => to.received.filter((delivery) => delivery.path === path);

describe('the queue of an endpoint whose receiver fails', () => {
  it('does not delay others while its receiver hangs with much to send', async () => {
    const { to, fixture } = await open((response, { path }) => {
      if (path === '/well') response.writeHead(200).end();
    });
    await fixture.register(`${to.origin}/hangs`);
    await fixture.emitMany(100);
    await fixture.register(`${to.origin}/well`);
    fixture.start();
    await until(() => at(to, '/hangs').length === 8);
    const hungSince = performance.now();
    await fixture.emitMany(50);
    await until(() => at(to, '/well').length === 50);
    // Either the first eight have not timed out yet or the next eight are under way: never more than eight at once.
    const rounds = Math.ceil((performance.now() - hungSince + 1_000) / 5_000);
    expect(at(to, '/hangs').length).toBeLessThanOrEqual(8 * rounds);
  });

  it('does not delay others while slow receivers could use all places, and acknowledge everything', async () => {
    const { to, fixture } = await open(
      (response, { path }) => setTimeout(() => response.writeHead(200).end(), path === '/quick' ? 0 : 2_000),
      { limits: { inAll: 16 } },
    );
    for (const name of ['/slow-1', '/slow-2', '/slow-3']) await fixture.register(`${to.origin}${name}`);
    await fixture.emitMany(30);
    await fixture.register(`${to.origin}/quick`);
    fixture.start();
    await until(() => to.received.length >= 16);
    await fixture.emitMany(100);
    const before = to.received.length;
    await until(() => at(to, '/quick').length === 100);
    // If all queues took turns alike, three slow deliveries would begin for each quick one: 400 in all. Some begin in any
    // case, and more on a slow machine: sixteen places become free every two seconds.
    expect(to.received.length - before).toBeLessThan(250);
  });

  it('sends one by one after eight failures in a row, until a delivery is acknowledged', async () => {
    let failing = true;
    let underWay = 0;
    let most = 0;
    const { to, fixture } = await open(
      (response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        setTimeout(() => {
          underWay -= 1;
          response.writeHead(failing ? 503 : 200).end();
        }, 100);
      },
      { limits: { easedRestMs: 20, retry: { baseMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0 } } },
    );
    await fixture.register(to.origin);
    await fixture.emitMany(120);
    fixture.start();
    await until(() => to.received.length > 20);
    expect(most).toBeGreaterThan(1);
    most = 0;
    const seen = to.received.length;
    await until(() => to.received.length > seen + 10);
    expect(most).toBe(1);
    failing = false;
    await until(() => to.received.length === 120);
    expect(most).toBeGreaterThan(1);
  });

  it('lets an endpoint rest as soon as it has failed too often, even while deliveries wait for their turn', async () => {
    const { to, fixture } = await open((response) => response.writeHead(503).end(), {
      limits: {
        inAll: 1,
        failuresUntilEased: 3,
        easedRestMs: 500,
        retry: { baseMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0 },
      },
    });
    await fixture.register(to.origin);
    await fixture.emitMany(20);
    fixture.start();
    await until(() => to.received.length >= 5);
    const times = to.received.map(({ at: time }) => time);
    const rests = [3, 4].map((index) => (times[index] ?? 0) - (times[index - 1] ?? 0));
    expect(Math.min(...rests)).toBeGreaterThan(450);
  });
});
