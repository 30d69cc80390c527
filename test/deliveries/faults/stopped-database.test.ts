import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Logger } from '../../../server/ports.js';
import { openWebhooks } from '../../fixtures/deliveries/delivery-instance.js';
import { answer, startReceiver } from '../../fixtures/deliveries/receiver.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

let mongod: PrivateMongo;
beforeAll(async () => {
  mongod = await privateMongo();
});
afterAll(() => mongod.stop());

it('deliveries wait for a database that stops answering, and go on when it is back, without an alarm', async () => {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${'err' in fields ? String(fields.err) : ''}`);
  };
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: () => logger,
  };
  const to = await startReceiver((response, delivery) =>
    setTimeout(() => answer(200)(response, delivery), 20),
  );
  const harness = await openWebhooks({
    uri: mongod.uri,
    allow: [to.origin],
    logger,
    limits: { claimMs: 3_000, timeoutMs: 1_000, startsWithinMs: 500, pollMs: 300 },
  });
  const { id } = await harness.register(to.origin);
  harness.start();
  const count = 200;
  await Promise.all(Array.from({ length: count }, (_, index) => harness.emitTick(index + 1)));
  await waitFor(() => expect(to.received.length).toBeGreaterThan(20), { timeout: 20_000, interval: 5 });
  mongod.freeze();
  await new Promise((done) => setTimeout(done, 5_000));
  mongod.thaw();
  const deliveries = harness.connection.collection('deliveries');
  await waitFor(async () => expect(await deliveries.countDocuments({ state: 'delivered' })).toBe(count), {
    timeout: 40_000,
    interval: 200,
  });
  expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
  expect(await deliveries.countDocuments({ webhookId: id, attempt: { $gt: 4 } })).toBe(0);
  expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expect(to.faults).toEqual([]);
  await harness.close();
  await to.stop();
}, 90_000);
