import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import type { OutboxDocument } from '../../server/webhooks/outbox-store.js';
import { metricOf, type SeveralInstances, startSeveral } from '../fixtures/faults/several-instances.js';
import { tick } from '../fixtures/webhooks/delivery-fixture.js';
import { type Receiver, startReceiver } from '../fixtures/webhooks/receiver.js';
import { testAdminKey } from '../support/app.js';
import { expectFor } from '../support/expect-for.js';
import { waitFor } from '../support/wait-for.js';

const count = 3;
/** With eight places each on every instance, these webhooks could hold all 64 places of every instance. */
const unwell = [...names('hangs', 18), ...names('slow', 18), ...names('dead', 4)];

let receiver: Receiver;
let service: SeveralInstances;
let client: mongo.MongoClient;

beforeAll(async () => {
  receiver = await startReceiver((response, { path }) => {
    if (path.startsWith('/hangs')) return;
    if (path.startsWith('/dead')) response.destroy();
    else setTimeout(() => response.writeHead(200).end(), path.startsWith('/slow') ? 4_000 : 5).unref();
  });
  service = await startSeveral(count, { allow: [receiver.origin] });
  client = await mongo.MongoClient.connect(service.uri);
}, 180_000);
afterAll(async () => {
  await client?.close();
  await service?.stop();
  await receiver?.stop();
}, 60_000);

function names(kind: string, many: number): string[] {
  return Array.from({ length: many }, (_, index) => `/${kind}-${index}`);
}

async function register(path: string): Promise<string> {
  const [instance] = service.instances;
  const answer = await fetch(`${instance?.url}/api/admin/webhooks`, {
    method: 'POST',
    headers: {
      'x-admin-key': testAdminKey,
      'content-type': 'application/json',
      'x-forwarded-for': `203.5.0.${unwell.indexOf(path) + 2}`,
    },
    body: JSON.stringify({
      url: `${receiver.origin}${path}`,
      events: ['publisher.tick'],
      secret: 'a secret of the fairness test',
    }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

/** Commits events while no instance looks for any. */
async function backlog(size: number, subscribers: string[]): Promise<Set<string>> {
  const events = Array.from({ length: size }, (_, index) => ({
    _id: `evt_${randomBytes(16).toString('hex')}`,
    event: 'publisher.tick' as const,
    createdAt: new Date(),
    data: tick(index + 1),
    subscribers,
    open: true,
  }));
  await client.db().collection<OutboxDocument>('outbox').insertMany(events);
  return new Set(events.map(({ _id }) => _id));
}

/** The number of these events that arrived at this path. */
function received(path: string, events: ReadonlySet<string>): number {
  const ids = receiver.received
    .filter((post) => post.path === path)
    .map(({ headers }) => String(headers['webhook-id']));
  return new Set(ids.filter((id) => events.has(id))).size;
}

const acknowledgedBy = () =>
  Promise.all(
    service.instances.map((instance) =>
      metricOf(instance, 'fairlead_webhook_deliveries_total', 'state="delivered"'),
    ),
  );

describe(`${count} instances`, () => {
  it('each take part in a backlog', async () => {
    const size = 3_000;
    const id = await register('/quick');
    const before = await acknowledgedBy();
    const events = await backlog(size, [id]);
    await waitFor(() => expect(received('/quick', events)).toBe(size), { timeout: 60_000, interval: 100 });
    const after = await acknowledgedBy();
    const shares = after.map((sent, index) => (sent - (before[index] ?? 0)) / size);
    // A quarter of an equal share is enough: the instances begin their rounds at different times and share two processors.
    for (const share of shares) expectFor(`one of ${shares}`, share).toBeGreaterThan(1 / count / 4);
  }, 120_000);

  it('starve no webhook where others hang, are slow or dead', async () => {
    const others: string[] = [];
    for (const path of unwell) others.push(await register(path));
    const id = await register('/well');
    const waiting = await backlog(200, others);
    const busy = () => receiver.received.filter(({ path }) => unwell.includes(path)).length;
    await waitFor(() => expect(busy()).toBeGreaterThan(500), { timeout: 60_000 });
    const events = await backlog(600, [id]);
    await waitFor(() => expect(received('/well', events)).toBe(600), { timeout: 60_000, interval: 100 });
    // The slow webhooks came first and could hold as many places, yet none has received all of its third as many events.
    for (const path of names('slow', 18)) expectFor(path, received(path, waiting)).toBeLessThan(200);
  }, 180_000);
});
