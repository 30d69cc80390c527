import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { AttemptOutcome, DeliveryState } from '../../../contract/schemas/webhooks.js';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { answering, type Listener, listen } from '../../fixtures/outbound/listener.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import {
  type DeliveryFixture,
  type DeliveryFixtureOptions,
  secret,
} from '../../fixtures/webhooks/delivery-fixture.js';
import { answer } from '../../fixtures/webhooks/receiver.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const { open: openFixture, receiver, onEnd } = closedAfterEach(uri);
const second = 1_000;

async function open(options: Partial<DeliveryFixtureOptions> = {}): Promise<DeliveryFixture> {
  const fixture = await openFixture(options);
  await fixture.clear();
  return fixture;
}

async function listener(behaviour: (socket: Socket) => void): Promise<Listener> {
  const started = await listen(behaviour);
  onEnd(started.close);
  return started;
}

/** Lets each retry become due, and checks some seconds before that it is not sent early. */
async function letRetriesPass(fixture: DeliveryFixture, webhookId: string): Promise<void> {
  for (const delaySeconds of [10, 60, 360]) {
    const marginMs = 6 * second;
    await fixture.age(delaySeconds * second - marginMs);
    const before = (await fixture.deliveriesOf(webhookId))[0];
    await fixture.deliverAllDue();
    expect((await fixture.deliveriesOf(webhookId))[0]).toEqual(before);
    await fixture.age(marginMs);
    await fixture.deliverAllDue();
  }
  await fixture.age(86_400 * second);
  await fixture.deliverAllDue();
}

interface Expected {
  state: DeliveryState;
  outcome: AttemptOutcome;
  status: number | null;
  attempts: number;
  answer?: string | null;
}

/** Sends one event to one receiver, until its delivery has ended. */
async function expectEnd(fixture: DeliveryFixture, url: string, expected: Expected): Promise<void> {
  const { id } = await fixture.register(url);
  await fixture.emitTicks(1);
  await fixture.deliverAllDue();
  await letRetriesPass(fixture, id);
  const [delivery, ...others] = await fixture.deliveriesOf(id);
  expect(others).toEqual([]);
  expect(delivery?.state).toBe(expected.state);
  expect(delivery?.attempts.map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: expected.attempts }, (_, index) => index + 1),
  );
  const beganAtMs = (delivery?.attempts ?? []).map(({ at }) => Date.parse(at));
  for (const [index, delaySeconds] of [10, 60, 360].slice(0, expected.attempts - 1).entries()) {
    const waitedMs = (beganAtMs[index + 1] ?? 0) - (beganAtMs[index] ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(delaySeconds * second);
    expect(waitedMs).toBeLessThan((delaySeconds + 30) * second);
  }
  for (const attempt of delivery?.attempts ?? []) {
    const { outcome, status } = expected;
    expect(attempt).toMatchObject({ outcome, status, elapsedMs: expect.any(Number) });
    if (expected.answer !== undefined) expect(attempt.answer).toBe(expected.answer);
  }
  const last = delivery?.attempts.at(-1);
  const endMs = Date.parse(last?.at ?? '') + (last?.elapsedMs ?? 0);
  expect(delivery?.settledAt).toBe(new Date(endMs).toISOString());
  const refused = expected.state === 'refused';
  expect(await fixture.webhooks.get(id)).toMatchObject({
    enabled: !refused,
    disabled: refused ? { reason: 'refused', status: expected.status } : null,
  });
}

describe('a receiver that answers', () => {
  it.each([200, 202, 204, 299])('%i acknowledges the delivery at the first attempt', async (status) => {
    const to = await receiver(answer(status, status === 204 ? '' : 'thank you'));
    const fixture = await open({ allow: [to.origin] });
    await expectEnd(fixture, `${to.origin}/hook`, {
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
    '%i refuses the delivery: the webhook is disabled and nothing is sent again',
    async (status) => {
      const to = await receiver(answer(status, '<no>'));
      const fixture = await open({ allow: [to.origin] });
      await expectEnd(fixture, `${to.origin}/hook`, {
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
    '%i is retried after 10, 60 and 360 seconds, then the delivery is exhausted',
    async (status) => {
      const to = await receiver(answer(status));
      const fixture = await open({ allow: [to.origin] });
      await expectEnd(fixture, `${to.origin}/hook`, {
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
    '%i to the metadata address is not followed and counts as a failure',
    async (status) => {
      const to = await receiver((response) =>
        response.writeHead(status, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      );
      const fixture = await open({ allow: [to.origin] });
      await expectEnd(fixture, `${to.origin}/hook`, {
        state: 'exhausted',
        outcome: 'failed',
        status,
        attempts: 4,
      });
    },
  );

  it.each([
    [200, 'delivered', 'acknowledged', 'Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain'],
    [200, 'delivered', 'acknowledged', 'Content-Length: 500\r\n\r\ncut off'],
    [410, 'refused', 'refused', 'Content-Length: 500\r\n\r\ncut off'],
    [410, 'refused', 'refused', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ] as const)('%i counts as such where its body cannot be read: %s', async (status, state, outcome, rest) => {
    const to = await listener(answering((socket) => socket.end(`HTTP/1.1 ${status} Whatever\r\n${rest}`)));
    const origin = `http://127.0.0.1:${to.port}`;
    const fixture = await open({ allow: [origin] });
    await expectEnd(fixture, origin, { state, outcome, status, attempts: 1 });
  });

  it('200 with a gigabyte acknowledges; the first 1,024 bytes are kept and the rest is not read', async () => {
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
    const fixture = await open({ allow: [origin] });
    await expectEnd(fixture, origin, {
      state: 'delivered',
      outcome: 'acknowledged',
      status: 200,
      attempts: 1,
      answer: 'g'.repeat(1_024),
    });
    expect(to.seen.bytesOut).toBeLessThan(32 * 2 ** 20);
  });
});

describe('a receiver that does not answer', () => {
  const limits = { timeoutMs: 150 };

  it('at all is timed out four times, then the delivery is exhausted', async () => {
    let posts = 0;
    const to = await listener(
      answering(() => {
        posts += 1;
      }),
    );
    const origin = `http://127.0.0.1:${to.port}`;
    const fixture = await open({ allow: [origin], limits });
    await expectEnd(fixture, origin, { state: 'exhausted', outcome: 'timeout', status: null, attempts: 4 });
    expect(posts).toBe(4);
  });

  it('completely, but sends a byte now and then, is timed out in spite of its status 200', async () => {
    const to = await listener(
      answering((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
        const timer = setInterval(() => socket.write('b'), 30);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    const origin = `http://127.0.0.1:${to.port}`;
    const fixture = await open({ allow: [origin], limits });
    await expectEnd(fixture, origin, { state: 'exhausted', outcome: 'timeout', status: null, attempts: 4 });
  });

  it.each([
    ['in TLS', (socket: Socket) => socket.end('this is not TLS'), 'unreachable'],
    ['and closes the connection', (socket: Socket) => socket.destroy(), 'unreachable'],
  ] as const)('%s counts as unreachable, four times', async (_how, behaviour, outcome) => {
    const to = await listener(behaviour);
    const origin = `https://127.0.0.1:${to.port}`;
    const fixture = await open({ allow: [origin], limits: { timeoutMs: 2_000 } });
    await expectEnd(fixture, origin, { state: 'exhausted', outcome, status: null, attempts: 4 });
    expect(to.seen.connections).toBe(4);
  });

  it('in HTTP counts as a bad response, four times', async () => {
    const to = await listener(answering('SSH-2.0-OpenSSH_9.6\r\n\r\n'));
    const origin = `http://127.0.0.1:${to.port}`;
    const fixture = await open({ allow: [origin] });
    await expectEnd(fixture, origin, {
      state: 'exhausted',
      outcome: 'bad_response',
      status: null,
      attempts: 4,
    });
  });
});

describe('a delivery', () => {
  it('is accepted by verifyWebhook with its own secret and with no other', async () => {
    const to = await receiver();
    const fixture = await open({ allow: [to.origin] });
    await fixture.register(`${to.origin}/hook`);
    const id = await fixture.emitTicks(7);
    await fixture.deliverAllDue();
    const [delivery] = to.received;
    if (delivery === undefined) throw new Error('nothing was received');
    const { headers, body } = delivery;
    const envelope = verifyWebhook({ body, headers, secret });
    expect(envelope).toMatchObject({ event: 'publisher.tick', id, data: { sequence: 7 } });
    expect(Object.keys(envelope)).toEqual(['event', 'id', 'createdAt', 'data']);
    expect(() => verifyWebhook({ body, headers, secret: `${secret}.` })).toThrow();
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-fairlead-event': 'publisher.tick',
    });
    expect(headers).not.toHaveProperty('x-fairlead-test');
  });

  it('carries the time of its attempt, not of its event', async () => {
    const to = await receiver(answer(500));
    const fixture = await open({ allow: [to.origin] });
    await fixture.register(to.origin);
    await fixture.emitTicks(1);
    await fixture.age(100 * second);
    await fixture.deliverAllDue();
    await fixture.age(10 * second);
    await fixture.deliverAllDue();
    const secondsAgo = to.received.map(
      ({ headers }) => Date.now() / second - Number(headers['webhook-timestamp']),
    );
    for (const seconds of secondsAgo) expect(seconds).toBeLessThan(60);
    expect(
      JSON.parse(to.received[0]?.body ?? '').createdAt < new Date(Date.now() - 100 * second).toISOString(),
    ).toBe(true);
  });
});
