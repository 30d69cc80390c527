import { afterAll, expect, it } from '@jest/globals';
import type { Logger } from '../../../server/ports.js';
import { openDeliveries } from '../../fixtures/webhooks/delivery-fixture.js';
import { answer, startReceiver } from '../../fixtures/webhooks/receiver.js';
import { privateMongo } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';
import { waitFor } from '../../support/wait-for.js';

const mongod = await privateMongo();
afterAll(() => mongod.stop());

it('deliveries wait while the database does not answer and go on afterwards, without an error in the log', async () => {
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (_fields, message) => void errors.push(message) };
  const to = await startReceiver((response, delivery) =>
    setTimeout(() => answer(200)(response, delivery), 20),
  );
  const fixture = await openDeliveries({
    uri: mongod.uri,
    allow: [to.origin],
    logger,
    limits: { claimMs: 3_000, timeoutMs: 1_000 },
  });
  const { id } = await fixture.register(to.origin);
  fixture.start({ pollMs: 300 });
  const count = 200;
  await fixture.emitMany(count);
  await waitFor(() => expect(to.received.length).toBeGreaterThan(20), { timeout: 20_000, interval: 5 });
  mongod.freeze();
  await new Promise((done) => setTimeout(done, 5_000));
  mongod.thaw();
  const deliveries = fixture.connection.collection('deliveries');
  const byState = () =>
    deliveries
      .aggregate([{ $group: { _id: '$state', count: { $sum: 1 } } }, { $sort: { _id: 1 } }])
      .toArray();
  await waitFor(async () => expect(await byState()).toEqual([{ _id: 'delivered', count }]), {
    timeout: 40_000,
    interval: 200,
  });
  expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
  expect(await deliveries.countDocuments({ webhookId: id, attempt: { $gt: 4 } })).toBe(0);
  expect(errors).toEqual([]);
  expect(to.faults).toEqual([]);
  await fixture.close();
  await to.stop();
}, 90_000);
