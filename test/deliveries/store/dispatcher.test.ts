import { afterEach, describe, expect, it } from '@jest/globals';
import type { DeliveryRow } from '../../../server/features/webhooks/store.js';
import {
  type HarnessOptions,
  openWebhooks,
  type WebhooksHarness,
} from '../../fixtures/deliveries/delivery-instance.js';
import { type Receiver, type Respond, startReceiver } from '../../fixtures/deliveries/receiver.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const { uri } = testDatabase();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Real time throughout; `limits` as the service has them but for what is given. */
async function open(respond: Respond, options: Partial<HarnessOptions> = {}) {
  const to = await startReceiver(respond);
  closers.push(to.stop);
  const harness = await openWebhooks({ uri, allow: [to.origin], ...options });
  closers.push(harness.close);
  await harness.clear();
  return { to, harness };
}

const within = (ms: number) => ({ timeout: ms, interval: 20 });
const at = (to: Receiver, path: string) => to.received.filter((delivery) => delivery.path === path);
const ok: Respond = (response) => response.writeHead(200).end();
/** Answers when told, and knows how many are waiting. */
function gate() {
  const waiting: (() => void)[] = [];
  const seen = { most: 0 };
  const respond: Respond = (response) => {
    waiting.push(() => response.writeHead(200).end());
    seen.most = Math.max(seen.most, waiting.length);
  };
  return { respond, waiting, seen, open: () => waiting.splice(0).map((answer) => answer()) };
}

async function emit(harness: WebhooksHarness, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => harness.emitTick(index + 1)));
}

describe('a dispatcher that runs', () => {
  it('is woken by the commit of an event, long before its next poll', async () => {
    const { to, harness } = await open(ok, { limits: { pollMs: 60_000 } });
    await harness.register(to.origin);
    harness.start();
    await new Promise((done) => setTimeout(done, 500));
    for (let count = 1; count <= 3; count += 1) {
      await harness.emitTick(count);
      await waitFor(() => expect(to.received).toHaveLength(count), within(10_000));
    }
  });

  it('is woken by the commit of an event after a rush of them, in which it looks by itself', async () => {
    const { to, harness } = await open(ok, { limits: { pollMs: 60_000 } });
    await harness.register(to.origin);
    harness.start();
    let sent = 0;
    for (let rush = 0; rush < 2; rush += 1) {
      await emit(harness, 300);
      sent += 300;
      await waitFor(() => expect(to.received).toHaveLength(sent), within(10_000));
      await new Promise((done) => setTimeout(done, 1_000));
      // On a busy machine the stream may take longer to open than it is waited for; then the next commit wakes it.
      let more = 0;
      await waitFor(
        async () => {
          more += 1;
          await harness.emitTick();
          await waitFor(() => expect(to.received).toHaveLength(sent + more), within(2_000));
        },
        { timeout: 20_000 },
      );
      sent += more;
    }
  }, 60_000);

  it('finds events by its poll where no change stream wakes it', async () => {
    const { to, harness } = await open(ok, { limits: { pollMs: 200 }, changeStreams: false });
    await harness.register(to.origin);
    harness.start();
    for (let count = 1; count <= 3; count += 1) {
      await harness.emitTick(count);
      await waitFor(() => expect(to.received).toHaveLength(count), within(10_000));
    }
  });

  it('retries in its own time', async () => {
    const retry = { baseMs: 300, factor: 2, maxMs: 5_000, jitter: 0 };
    const { to, harness } = await open((response) => response.writeHead(500).end(), {
      limits: { pollMs: 50, retry },
    });
    const { id } = await harness.register(to.origin);
    harness.start();
    await harness.emitTick();
    await waitFor(
      async () => expect((await harness.deliveriesOf(id))[0]?.state).toBe('exhausted'),
      within(20_000),
    );
    const gaps = to.received.slice(1).map((post, index) => post.at - (to.received[index]?.at ?? 0));
    expect(gaps).toHaveLength(3);
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(300 * 2 ** index);
    expect(harness.counted.get('settled exhausted')).toBe(1);
    expect(harness.counted.get('attempted failed')).toBe(4);
  });

  it('has eight deliveries on their way to one webhook, and no more', async () => {
    const { respond, waiting, seen, open: answerAll } = gate();
    const { to, harness } = await open(respond);
    const { id } = await harness.register(to.origin);
    await emit(harness, 40);
    harness.start();
    await waitFor(() => expect(waiting).toHaveLength(8), within(10_000));
    await new Promise((done) => setTimeout(done, 300));
    expect(waiting).toHaveLength(8);
    await waitFor(async () => {
      answerAll();
      expect((await harness.log.list(id, { state: 'delivered', limit: '100' })).items).toHaveLength(40);
    }, within(20_000));
    expect(seen.most).toBe(8);
    expect(to.received).toHaveLength(40);
  });

  it('goes on delivering to others while a receiver hangs with much to send', async () => {
    const { to, harness } = await open((response, { path }) => {
      if (path === '/well') response.writeHead(200).end();
    });
    await harness.register(`${to.origin}/hangs`);
    await emit(harness, 100);
    await harness.register(`${to.origin}/well`);
    harness.start();
    await waitFor(() => expect(at(to, '/hangs')).toHaveLength(8), within(10_000));
    await emit(harness, 50);
    await waitFor(() => expect(at(to, '/well')).toHaveLength(50), within(4_000));
    expect(at(to, '/hangs')).toHaveLength(8);
  });

  it('sends to a receiver that only fails one by one, until it acknowledges', async () => {
    let failing = true;
    let now = 0;
    let most = 0;
    const { to, harness } = await open(
      (response) => {
        now += 1;
        most = Math.max(most, now);
        setTimeout(() => {
          now -= 1;
          response.writeHead(failing ? 503 : 200).end();
        }, 30);
      },
      { limits: { restMs: 20, retry: { baseMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0 } } },
    );
    await harness.register(to.origin);
    await emit(harness, 120);
    harness.start();
    await waitFor(() => expect(to.received.length).toBeGreaterThan(20), within(20_000));
    expect(most).toBe(8);
    most = 0;
    const seen = to.received.length;
    await waitFor(() => expect(to.received.length).toBeGreaterThan(seen + 10), within(20_000));
    expect(most).toBe(1);
    failing = false;
    await waitFor(() => expect(to.received).toHaveLength(120), within(20_000));
    expect(most).toBe(8);
  });
});

describe('a dispatcher that is stopped', () => {
  it('records what it was sending, and hands back what it had only claimed: uncounted, due at once', async () => {
    const { respond, waiting, open: answerAll } = gate();
    let quick = true;
    const { to, harness } = await open((response, delivery) => {
      if (quick && to.received.length <= 100) response.writeHead(200).end();
      else respond(response, delivery);
    });
    const { id } = await harness.register(to.origin);
    await emit(harness, 160);
    harness.start();
    await waitFor(() => expect(waiting).toHaveLength(8), within(10_000));
    quick = false;
    // It was quick, so more is claimed for it than is being sent.
    const deliveries = harness.connection.collection<DeliveryRow>('deliveries');
    expect(await deliveries.countDocuments({ owner: { $ne: null } })).toBeGreaterThan(8);
    const stopping = harness.stop();
    await new Promise((done) => setTimeout(done, 200));
    answerAll();
    await stopping;
    const posted = to.received.length;
    expect(posted).toBe(108);
    const rows = await deliveries.find().toArray();
    const delivered = rows.filter(({ state }) => state === 'delivered');
    const rest = rows.filter(({ state }) => state === 'pending');
    expect(delivered).toHaveLength(posted);
    expect(rest).toHaveLength(160 - posted);
    for (const row of rest) {
      expect(row).toMatchObject({ owner: null, attempt: 0, attempts: [] });
      expect(row.due.getTime()).toBeLessThanOrEqual(Date.now());
    }
    await new Promise((done) => setTimeout(done, 300));
    expect(to.received).toHaveLength(posted);
    expect((await harness.log.list(id, { state: 'pending', limit: '100' })).items).toHaveLength(160 - posted);
  });
});
