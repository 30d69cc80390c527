import { afterEach, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import {
  type HarnessOptions,
  openWebhooks,
  secret,
  type WebhooksHarness,
} from '../../fixtures/deliveries/delivery-instance.js';
import { type Receiver, type Respond, startReceiver } from '../../fixtures/deliveries/receiver.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { waitFor } from '../../support/wait-for.js';

const { uri } = testDatabase();
const day = 86_400_000;
const startMs = Date.now();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A receiver whose answers can be changed while it runs, and webhooks that may send to it. */
async function open(options: Partial<HarnessOptions> = {}) {
  const status = { now: 200 };
  const respond: Respond = (response) => response.writeHead(status.now).end();
  const to = await startReceiver(respond);
  closers.push(to.stop);
  const harness = await openWebhooks({ uri, allow: [to.origin], world: { now: startMs }, ...options });
  closers.push(harness.close);
  await harness.clear();
  return { to, harness, status };
}

const sequences = (to: Receiver) => to.received.map(({ body }) => JSON.parse(body).data.sequence as number);

async function emitAndRun(harness: WebhooksHarness, ...numbers: number[]): Promise<void> {
  for (const sequence of numbers) {
    await harness.emitTick(sequence);
    harness.world.now += 1;
  }
  await harness.dispatcher.runOnce();
}

describe('an event', () => {
  it('goes to every webhook subscribed to it, and to no other', async () => {
    const { to, harness } = await open();
    await harness.register(`${to.origin}/ticks`);
    await harness.register(`${to.origin}/all`, ['publisher.tick', 'anchor.onboarded']);
    await harness.register(`${to.origin}/anchors`, ['anchor.onboarded']);
    await harness.emitTick();
    await harness.emit('anchor.onboarded', {
      anchorId: 'harbour',
      name: 'Harbour',
      corridors: [],
      simulated: true,
    });
    await harness.dispatcher.runOnce();
    const got = to.received.map(({ path, headers }) => `${path} ${headers['x-fairlead-event']}`).sort();
    expect(got).toEqual([
      '/all anchor.onboarded',
      '/all publisher.tick',
      '/anchors anchor.onboarded',
      '/ticks publisher.tick',
    ]);
    expect(to.faults).toEqual([]);
  });

  it('goes to the webhooks there were when it was committed: not to one registered since', async () => {
    const { to, harness } = await open();
    await harness.register(`${to.origin}/before`);
    await harness.emitTick();
    await harness.register(`${to.origin}/after`);
    await harness.dispatcher.runOnce();
    expect(to.received.map(({ path }) => path)).toEqual(['/before']);
  });

  it('goes where the subscription pointed when it was committed, whatever it was changed to since', async () => {
    const { to, harness } = await open();
    const { id } = await harness.register(`${to.origin}/hook`);
    await harness.emitTick(1);
    await harness.admin.update(id, { events: ['anchor.onboarded'] });
    await harness.emitTick(2);
    await harness.dispatcher.runOnce();
    expect(sequences(to)).toEqual([1]);
  });

  it('without subscribers makes no delivery and is not looked at again', async () => {
    const { harness } = await open();
    await harness.emitTick();
    await harness.dispatcher.runOnce();
    const { connection } = harness;
    expect(await connection.collection('deliveries').countDocuments()).toBe(0);
    expect(await connection.collection('outbox').countDocuments({ open: true })).toBe(0);
  });

  it('is kept for 30 days, and its deliveries too', async () => {
    const { to, harness } = await open();
    await harness.register(to.origin);
    await harness.emitTick();
    await harness.dispatcher.runOnce();
    for (const name of ['outbox', 'deliveries']) {
      const row = await harness.connection.collection(name).findOne();
      expectFor(name, row?.expiresAt).toEqual(new Date(startMs + 30 * day));
      const indexes = await harness.connection.collection(name).indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
      );
    }
  });
});

describe('a webhook that its receiver disabled', () => {
  it('holds further events, and sends them once it is enabled', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    status.now = 410;
    await emitAndRun(harness, 1);
    status.now = 200;
    await emitAndRun(harness, 2, 3, 4);
    expect(sequences(to)).toEqual([1]);
    const held = await harness.log.list(id, { state: 'held' });
    expect(held.items.map(({ state, nextAttemptAt }) => [state, nextAttemptAt])).toEqual(
      Array(3).fill(['held', null]),
    );
    expect((await harness.log.list(id, { state: 'pending' })).items).toEqual([]);

    harness.world.now += 29 * day;
    await harness.admin.update(id, { enabled: true });
    await harness.dispatcher.runOnce();
    expect(sequences(to).sort()).toEqual([1, 2, 3, 4]);
    const states = (await harness.deliveriesOf(id)).map(({ state }) => state);
    expect(states).toEqual(['delivered', 'delivered', 'delivered', 'refused']);
    expect((await harness.log.list(id, { state: 'held' })).items).toEqual([]);
  });

  it('holds what was waiting for a retry, too', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    status.now = 500;
    await emitAndRun(harness, 1);
    status.now = 404;
    await emitAndRun(harness, 2);
    status.now = 200;
    harness.world.now += 3_600_000;
    await harness.dispatcher.runOnce();
    expect(sequences(to)).toEqual([1, 2]);
    await harness.admin.update(id, { enabled: true });
    await harness.dispatcher.runOnce();
    expect(sequences(to)).toEqual([1, 2, 1]);
    expect((await harness.deliveriesOf(id)).map(({ attempts }) => attempts.length)).toEqual([1, 2]);
  });

  it('gets no more than was in flight already, however much is due', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    status.now = 403;
    await emitAndRun(harness, ...Array.from({ length: 100 }, (_, index) => index + 1));
    expect(to.received.length).toBeLessThanOrEqual(8);
    const states = (await harness.deliveriesOf(id)).map(({ state }) => state);
    expect(states.filter((state) => state === 'held')).toHaveLength(100 - to.received.length);
    const held = (await harness.log.list(id, { state: 'held', limit: '100' })).items;
    expect(held.every(({ attempts }) => attempts.length === 0)).toBe(true);
  });

  it('is not disabled again by a late refusal of its former address', async () => {
    let release = () => {};
    const slow = await startReceiver((response) => {
      release = () => response.writeHead(410).end();
    });
    closers.push(slow.stop);
    const { to, harness } = await open();
    const other = await openWebhooks({ uri, allow: [slow.origin], world: { now: startMs } });
    closers.push(other.close);
    const { id } = await other.register(slow.origin);
    await other.emitTick(1);
    const sending = other.dispatcher.runOnce();
    while (slow.received.length === 0) await new Promise((done) => setTimeout(done, 5));
    await harness.admin.update(id, { url: to.origin });
    release();
    await sending;
    expect(await harness.admin.get(id)).toMatchObject({ enabled: true, url: to.origin });
    expect((await harness.deliveriesOf(id))[0]?.state).toBe('refused');
  });

  it('says since when, why and by which status, and may be enabled and disabled by hand', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    status.now = 451;
    await harness.emitTick();
    await harness.dispatcher.runOnce();
    const at = new Date(startMs).toISOString();
    expect((await harness.admin.get(id)).disabled).toEqual({ reason: 'refused', status: 451, at });
    expect((await harness.admin.update(id, { enabled: true })).disabled).toBeNull();
    harness.world.now += 1_000;
    const off = await harness.admin.update(id, { enabled: false });
    expect(off.disabled).toMatchObject({ reason: 'admin', status: null });
    const again = await harness.admin.update(id, { enabled: false });
    expect(again.disabled).toEqual(off.disabled);
  });
});

describe('sending again', () => {
  it('makes four attempts afresh, with the same id and body and the present secret', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    status.now = 503;
    await emitAndRun(harness, 1);
    for (const seconds of [10, 60, 360]) {
      harness.world.now += seconds * 1_000;
      await harness.dispatcher.runOnce();
    }
    const exhausted = (await harness.deliveriesOf(id))[0];
    expect(exhausted).toMatchObject({ state: 'exhausted', nextAttemptAt: null });

    await harness.admin.rotateSecret(id, { secret: 'the secret after that one', overlapSeconds: 0 });
    const again = await harness.log.resend(id, exhausted?.id ?? '');
    expect(again).toMatchObject({ state: 'pending', settledAt: null });
    await harness.dispatcher.runOnce();
    for (const seconds of [10, 60]) {
      harness.world.now += seconds * 1_000;
      await harness.dispatcher.runOnce();
    }
    status.now = 204;
    harness.world.now += 360_000;
    await harness.dispatcher.runOnce();
    const delivered = (await harness.deliveriesOf(id))[0];
    expect(delivered).toMatchObject({ state: 'delivered', id: exhausted?.id, eventId: exhausted?.eventId });
    expect(delivered?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(to.received.map(({ body }) => body)).size).toBe(1);
    const last = to.received.at(-1);
    verifyWebhook({
      body: last?.body ?? '',
      headers: last?.headers ?? {},
      secret: 'the secret after that one',
      now: harness.world.now,
    });
    expect(to.faults).toEqual([]);
  });

  it('brings one that waits forward without granting it more attempts', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    status.now = 500;
    await emitAndRun(harness, 1);
    const waiting = (await harness.deliveriesOf(id))[0];
    for (let count = 0; count < 5; count += 1) {
      await harness.log.resend(id, waiting?.id ?? '');
      await harness.dispatcher.runOnce();
      if ((await harness.deliveriesOf(id))[0]?.state === 'exhausted') break;
    }
    expect(to.received).toHaveLength(4);
  });

  it('goes past a backlog, and to a webhook that is disabled', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    await emitAndRun(harness, 1);
    status.now = 400;
    await emitAndRun(harness, 2);
    status.now = 200;
    await emitAndRun(harness, 3, 4, 5);
    const first = (await harness.log.list(id, { state: 'delivered' })).items[0];
    await harness.log.resend(id, first?.id ?? '');
    const test = await harness.log.sendTest(id, undefined);
    expect(test).toMatchObject({ state: 'pending', test: true });
    await harness.dispatcher.runOnce();
    expect(sequences(to).slice(2).sort()).toEqual([1, 42]);
    expect((await harness.log.list(id, { state: 'held' })).items).toHaveLength(3);
  });

  it('of what is being sent at this moment leaves it alone', async () => {
    let release = () => {};
    const slow = await startReceiver((response) => {
      release = () => response.writeHead(200).end();
    });
    closers.push(slow.stop);
    const { harness } = await open({ allow: [slow.origin] });
    const { id } = await harness.register(slow.origin);
    await harness.emitTick();
    const sending = harness.dispatcher.runOnce();
    while (slow.received.length === 0) await new Promise((done) => setTimeout(done, 5));
    const [delivery] = await harness.deliveriesOf(id);
    expect(delivery).toMatchObject({ state: 'pending', nextAttemptAt: null, attempts: [] });
    expect(await harness.log.resend(id, delivery?.id ?? '')).toMatchObject({ nextAttemptAt: null });
    release();
    await sending;
    expect(slow.received).toHaveLength(1);
    expect((await harness.deliveriesOf(id))[0]).toMatchObject({ state: 'delivered' });
  });
});

describe('a test event', () => {
  it('is a delivery like any other, marked by its id and a header, of the event asked for', async () => {
    const { to, harness } = await open();
    const { id } = await harness.register(to.origin, ['publisher.tick', 'dispute.created']);
    await harness.log.sendTest(id, undefined);
    await harness.log.sendTest(id, 'intent.failed');
    await harness.dispatcher.runOnce();
    const got = to.received.map(({ headers }) => headers['x-fairlead-event']).sort();
    expect(got).toEqual(['dispute.created', 'intent.failed']);
    for (const { headers, body } of to.received) {
      expect(headers['x-fairlead-test']).toBe('true');
      const envelope = verifyWebhook({ body, headers, secret, now: startMs });
      expect(envelope.id).toMatch(/^evt_test/);
    }
    expect(to.faults).toEqual([]);
    expect(await harness.deliveriesOf(id)).toMatchObject([
      { test: true, state: 'delivered' },
      { test: true, state: 'delivered' },
    ]);
  });
});

describe('the rotation of a secret', () => {
  const next = 'another secret of the webhook tests';

  it('leaves no moment in which a receiver with the old secret, or with both, refuses a delivery', async () => {
    const { to, harness } = await open();
    const { id } = await harness.register(to.origin);
    const accepted = async (secrets: string[]) => {
      await harness.emitTick(to.received.length + 1);
      await harness.dispatcher.runOnce();
      const last = to.received.at(-1);
      const { body, headers } = last ?? { body: '', headers: {} };
      return secrets.map((one) => {
        try {
          return verifyWebhook({ body, headers, secret: one.split('|'), now: harness.world.now }) !== null;
        } catch {
          return false;
        }
      });
    };
    const holders = [secret, `${secret}|${next}`, next];
    expect(await accepted(holders)).toEqual([true, true, false]);
    const rotated = await harness.admin.rotateSecret(id, { secret: next });
    expect(rotated.overlapEndsAt).toBe(new Date(startMs + day).toISOString());
    expect(await accepted(holders)).toEqual([true, true, false]);
    harness.world.now += day - 1;
    expect(await accepted(holders)).toEqual([true, true, false]);
    harness.world.now += 1;
    expect(await accepted(holders)).toEqual([false, true, true]);
    expect((await harness.admin.get(id)).overlapEndsAt).toBeNull();
    expect(to.faults).toEqual([]);
  });
});

describe('a webhook that is deleted', () => {
  it('gets nothing more, and leaves nothing behind', async () => {
    const { to, harness, status } = await open();
    const { id } = await harness.register(to.origin);
    const other = await harness.register(`${to.origin}/other`);
    status.now = 500;
    await emitAndRun(harness, 1, 2);
    await harness.emitTick(3);
    const before = to.received.filter(({ path }) => path === '/').length;
    await harness.admin.remove(id);
    status.now = 200;
    harness.world.now += 10_000;
    await harness.dispatcher.runOnce();
    expect(to.received.filter(({ path }) => path === '/')).toHaveLength(before);
    const { connection } = harness;
    expect(await connection.collection('deliveries').countDocuments({ webhookId: id })).toBe(0);
    expect(await connection.collection('deliveries').countDocuments({ webhookId: other.id })).toBe(3);
    await expect(harness.admin.remove(id)).rejects.toMatchObject({ code: 'UNKNOWN_WEBHOOK' });
  });

  it('leaves nothing behind even where nothing was waiting', async () => {
    const { to, harness } = await open();
    const { id } = await harness.register(to.origin);
    await emitAndRun(harness, 1, 2, 3);
    const deliveries = harness.connection.collection('deliveries');
    expect(await deliveries.countDocuments({ webhookId: id, open: false })).toBe(3);
    await harness.admin.remove(id);
    await waitFor(async () => expect(await deliveries.countDocuments({ webhookId: id })).toBe(0));
  });
});
