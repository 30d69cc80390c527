import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Logger } from '../../../server/ports.js';
import { openDeliveries } from '../../fixtures/webhooks/delivery-fixture.js';
import { answer, startReceiver } from '../../fixtures/webhooks/receiver.js';
import { type PrivateMongo, privateMongo, testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let mongod: PrivateMongo;
beforeAll(async () => {
  mongod = await privateMongo();
});
afterAll(() => mongod.stop());

it('deliveries wait while the database does not answer and go on afterwards, without an error in the log', async () => {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${'err' in fields ? String(fields.err) : ''}`);
  };
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
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
  expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expect(to.faults).toEqual([]);
  await fixture.close();
  await to.stop();
}, 90_000);

it('300 webhooks get 16 events each at once from two instances, and no POST is made twice', async () => {
  const to = await startReceiver();
  // However busy this machine is, no POST times out, and no claim ends before its POST.
  const limits = { timeoutMs: 120_000, claimMs: 300_000 };
  const open = () => openDeliveries({ uri: database.uri, allow: [to.origin], limits });
  const instances = [await open(), await open()] as const;
  for (let n = 0; n < 300; n += 1) await instances[0].register(`${to.origin}/${n}`);
  await instances[0].emitMany(16);
  for (const instance of instances) instance.start({ pollMs: 200 });
  const deliveries = instances[0].connection.collection('deliveries');
  const all = 300 * 16;
  await waitFor(async () => expect(await deliveries.countDocuments({ state: 'delivered' })).toBe(all), {
    timeout: 150_000,
    interval: 200,
  });
  expect(to.received).toHaveLength(all);
  const posts = to.received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  expect(new Set(posts).size).toBe(all);
  for (const instance of instances) await instance.close();
  await to.stop();
}, 180_000);
