import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AttemptOutcome, DeliveryState } from '../../../contract/schemas/webhooks.js';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import {
  type HarnessOptions,
  openWebhooks,
  secret,
  type WebhooksHarness,
} from '../../fixtures/deliveries/delivery-instance.js';
import { answer, type Receiver, startReceiver } from '../../fixtures/deliveries/receiver.js';
import { answering, type Listener, listen } from '../../fixtures/outbound/listener.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const { uri } = testDatabase();
const second = 1_000;
const startMs = Date.now();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(options: Partial<HarnessOptions> = {}): Promise<WebhooksHarness> {
  const harness = await openWebhooks({ uri, world: { now: startMs }, ...options });
  closers.push(harness.close);
  await harness.clear();
  return harness;
}

async function receiver(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...args);
  closers.push(started.stop);
  return started;
}

async function listener(behaviour: (socket: Socket) => void): Promise<Listener> {
  const started = await listen(behaviour);
  closers.push(started.close);
  return started;
}

/** Moves the clock to each retry and, a moment before, makes sure that it is not early. */
async function letRetriesPass(harness: WebhooksHarness, webhookId: string): Promise<void> {
  for (const delaySeconds of [10, 60, 360]) {
    const before = (await harness.deliveriesOf(webhookId))[0];
    harness.world.now += delaySeconds * second - 1;
    await harness.dispatcher.runOnce();
    expectFor(`early by a millisecond`, (await harness.deliveriesOf(webhookId))[0]).toEqual(before);
    harness.world.now += 1;
    await harness.dispatcher.runOnce();
  }
  harness.world.now += 86_400 * second;
  await harness.dispatcher.runOnce();
}

interface Expected {
  state: DeliveryState;
  outcome: AttemptOutcome;
  status: number | null;
  attempts: number;
  answer?: string | null;
}

/** One event to one receiver, until nothing more happens to it. */
async function expectEnd(harness: WebhooksHarness, url: string, expected: Expected): Promise<void> {
  const { id } = await harness.register(url);
  await harness.emitTick();
  await harness.dispatcher.runOnce();
  await letRetriesPass(harness, id);
  const [delivery, ...others] = await harness.deliveriesOf(id);
  expect(others).toEqual([]);
  expect(delivery?.state).toBe(expected.state);
  expect(delivery?.attempts.map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: expected.attempts }, (_, index) => index + 1),
  );
  const atSeconds = delivery?.attempts.map(({ at }) => (Date.parse(at) - startMs) / second);
  expect(atSeconds).toEqual([0, 10, 70, 430].slice(0, expected.attempts));
  for (const attempt of delivery?.attempts ?? []) {
    const { outcome, status } = expected;
    expect(attempt).toMatchObject({ outcome, status, elapsedMs: expect.any(Number) });
    if (expected.answer !== undefined) expect(attempt.answer).toBe(expected.answer);
  }
  const last = delivery?.attempts.at(-1);
  const endMs = Date.parse(last?.at ?? '') + (last?.elapsedMs ?? 0);
  expect(delivery?.settledAt).toBe(new Date(endMs).toISOString());
  const refused = expected.state === 'refused';
  expect(await harness.admin.get(id)).toMatchObject({
    enabled: !refused,
    disabled: refused ? { reason: 'refused', status: expected.status } : null,
  });
}

describe('a receiver that answers', () => {
  it.each([200, 202, 204, 299])('%i acknowledges at once', async (status) => {
    const to = await receiver(answer(status, status === 204 ? '' : 'thank you'));
    const harness = await open({ allow: [to.origin] });
    await expectEnd(harness, `${to.origin}/hook`, {
      state: 'delivered',
      outcome: 'acknowledged',
      status,
      attempts: 1,
      answer: status === 204 ? '' : 'thank you',
    });
    expect(to.received).toHaveLength(1);
    expect(to.faults).toEqual([]);
  });

  it.each([400, 401, 404, 410, 429, 499])(
    '%i refuses: the webhook is disabled, nothing is sent again',
    async (status) => {
      const to = await receiver(answer(status, '<no>'));
      const harness = await open({ allow: [to.origin] });
      await expectEnd(harness, `${to.origin}/hook`, {
        state: 'refused',
        outcome: 'refused',
        status,
        attempts: 1,
        answer: '\\x3cno\\x3e',
      });
      expect(to.received).toHaveLength(1);
      expect(to.faults).toEqual([]);
    },
  );

  it.each([500, 502, 503, 599])(
    '%i is sent to again after 10, 60 and 360 seconds, then no more',
    async (status) => {
      const to = await receiver(answer(status));
      const harness = await open({ allow: [to.origin] });
      await expectEnd(harness, `${to.origin}/hook`, {
        state: 'exhausted',
        outcome: 'failed',
        status,
        attempts: 4,
      });
      expect(to.received).toHaveLength(4);
      expect(new Set(to.received.map(({ body }) => body)).size).toBe(1);
      expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(to.faults).toEqual([]);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    '%i to the metadata address is not followed, and counts as a failure',
    async (status) => {
      const to = await receiver((response) =>
        response.writeHead(status, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      );
      const harness = await open({ allow: [to.origin] });
      await expectEnd(harness, `${to.origin}/hook`, {
        state: 'exhausted',
        outcome: 'failed',
        status,
        attempts: 4,
      });
    },
  );

  it('200 and a gigabyte acknowledges; the first kilobyte is kept and the rest is not read', async () => {
    const to = await listener(
      answering((socket) => {
        const piece = 'g'.repeat(65_536);
        const more = () => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on('drain', more);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`);
        more();
      }),
    );
    const origin = `http://127.0.0.1:${to.port}`;
    const harness = await open({ allow: [origin] });
    await expectEnd(harness, origin, {
      state: 'delivered',
      outcome: 'acknowledged',
      status: 200,
      attempts: 1,
      answer: 'g'.repeat(1_024),
    });
    await to.close();
    closers.splice(closers.indexOf(to.close), 1);
    expect(to.seen.bytesOut).toBeLessThan(32 * 2 ** 20);
  });
});

describe('a receiver that does not answer', () => {
  const limits = { timeoutMs: 150 };

  it('ever is timed out, and sent to four times', async () => {
    const to = await listener(() => undefined);
    const origin = `http://127.0.0.1:${to.port}`;
    const harness = await open({ allow: [origin], limits });
    await expectEnd(harness, origin, { state: 'exhausted', outcome: 'timeout', status: null, attempts: 4 });
    expect(to.seen.connections).toBe(4);
  });

  it('but byte by byte is timed out, whatever its status was', async () => {
    const to = await listener(
      answering((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
        const timer = setInterval(() => socket.write('b'), 30);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    const origin = `http://127.0.0.1:${to.port}`;
    const harness = await open({ allow: [origin], limits });
    await expectEnd(harness, origin, { state: 'exhausted', outcome: 'timeout', status: null, attempts: 4 });
  });

  it.each([
    ['with a broken TLS handshake', (socket: Socket) => socket.end('this is not TLS'), 'unreachable'],
    ['but closes the connection', (socket: Socket) => socket.destroy(), 'unreachable'],
  ] as const)('%s is unreachable, and sent to four times', async (_how, behaviour, outcome) => {
    const to = await listener(behaviour);
    const origin = `https://127.0.0.1:${to.port}`;
    const harness = await open({ allow: [origin], limits: { timeoutMs: 2_000 } });
    await expectEnd(harness, origin, { state: 'exhausted', outcome, status: null, attempts: 4 });
    expect(to.seen.connections).toBe(4);
  });

  it('in HTTP gives a bad response', async () => {
    const to = await listener(answering('SSH-2.0-OpenSSH_9.6\r\n\r\n'));
    const origin = `http://127.0.0.1:${to.port}`;
    const harness = await open({ allow: [origin], limits });
    await expectEnd(harness, origin, {
      state: 'exhausted',
      outcome: 'bad_response',
      status: null,
      attempts: 4,
    });
  });
});

describe('a delivery', () => {
  it('verifies by verifyWebhook and by nothing but its own secret', async () => {
    const to = await receiver();
    const harness = await open({ allow: [to.origin] });
    await harness.register(`${to.origin}/hook`);
    const id = await harness.emitTick(7);
    await harness.dispatcher.runOnce();
    const [delivery] = to.received;
    if (delivery === undefined) throw new Error('nothing was received');
    const { headers, body } = delivery;
    const envelope = verifyWebhook({ body, headers, secret, now: startMs, requireTimestamp: true });
    expect(envelope).toMatchObject({ event: 'publisher.tick', id, data: { sequence: 7 } });
    expect(Object.keys(envelope)).toEqual(['event', 'id', 'createdAt', 'data']);
    expect(() => verifyWebhook({ body, headers, secret: `${secret}.`, now: startMs })).toThrow();
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-fairlead-event': 'publisher.tick',
    });
    expect(headers).not.toHaveProperty('x-fairlead-test');
  });

  it('carries the time of its attempt, not of its event', async () => {
    const to = await receiver(answer(500));
    const harness = await open({ allow: [to.origin] });
    await harness.register(to.origin);
    await harness.emitTick();
    await harness.dispatcher.runOnce();
    harness.world.now += 10_000;
    await harness.dispatcher.runOnce();
    const times = to.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual([Math.floor(startMs / 1_000), Math.floor(startMs / 1_000) + 10]);
  });
});
