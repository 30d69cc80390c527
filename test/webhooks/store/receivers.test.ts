import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { AttemptOutcome, DeliveryState } from '../../../contract/schemas/webhooks.js';
import { answering, type Listener, listen } from '../../fixtures/outbound/calls.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import type { DeliveryFixture } from '../../fixtures/webhooks/delivery-fixture.js';
import { answer, type Respond } from '../../fixtures/webhooks/receiver.js';

const { open, openTowards, onEnd } = closedAfterEach();
const second = 1_000;

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

type Expected = [state: DeliveryState, outcome: AttemptOutcome, status: number | null, answer?: string];

/** Sends one event to one receiver, until its delivery has ended. */
async function expectEnd(fixture: DeliveryFixture, url: string, expected: Expected): Promise<void> {
  const [state, outcome, status, said] = expected;
  const attempts = state === 'exhausted' ? 4 : 1;
  const { id } = await fixture.register(url);
  await fixture.emitTicks(1);
  await fixture.deliverAllDue();
  await letRetriesPass(fixture, id);
  const [delivery, ...others] = await fixture.deliveriesOf(id);
  expect(others).toEqual([]);
  expect(delivery?.state).toBe(state);
  expect(delivery?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4].slice(0, attempts));
  const beganAtMs = (delivery?.attempts ?? []).map(({ at }) => Date.parse(at));
  for (const [index, delaySeconds] of [10, 60, 360].slice(0, attempts - 1).entries()) {
    const waitedMs = (beganAtMs[index + 1] ?? 0) - (beganAtMs[index] ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(delaySeconds * second);
  }
  for (const attempt of delivery?.attempts ?? []) {
    expect(attempt).toMatchObject({ outcome, status, elapsedMs: expect.any(Number) });
    if (said !== undefined) expect(attempt.answer).toBe(said);
  }
  const last = delivery?.attempts.at(-1);
  const endMs = Date.parse(last?.at ?? '') + (last?.elapsedMs ?? 0);
  expect(delivery?.settledAt).toBe(new Date(endMs).toISOString());
  const disabled = state === 'refused' ? { reason: 'refused', status } : null;
  expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: disabled === null, disabled });
}

describe('a receiver that answers', () => {
  const redirect: Respond = (response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
  it.each<[string, Respond, Expected]>([
    ['204 acknowledges at the first attempt', answer(204, ''), ['delivered', 'acknowledged', 204, '']],
    ['410 disables the webhook', answer(410, '<no>'), ['refused', 'refused', 410, '\\x3cno\\x3e']],
    ['503 is sent to after 10, 60 and 360 seconds', answer(503), ['exhausted', 'failed', 503]],
    ['307 is not followed, and counts as a failure', redirect, ['exhausted', 'failed', 307]],
  ])('%s', async (_what, respond, expected) => {
    const { to, fixture } = await openTowards(respond);
    await expectEnd(fixture, `${to.origin}/hook`, expected);
    expect(to.received).toHaveLength(expected[0] === 'exhausted' ? 4 : 1);
    expect(new Set(to.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(to.faults).toEqual([]);
  });
});

describe('a server', () => {
  let posts = 0;
  const silent = answering(() => {
    posts += 1;
  });
  const gigabyte = answering((socket) => {
    const piece = 'g'.repeat(65_536);
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`);
    more();
  });
  const drip = answering((socket) => {
    posts += 1;
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const timer = setInterval(() => socket.write('b'), 30);
    socket.on('close', () => clearInterval(timer));
  });
  const raw = (text: string) => answering((socket) => socket.end(text));
  const unreadable = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain';
  const cut = 'HTTP/1.1 410 Gone\r\nContent-Length: 500\r\n\r\ncut off';
  const ssh = answering('SSH-2.0-OpenSSH_9.6\r\n\r\n');
  const acknowledged: Expected = ['delivered', 'acknowledged', 200];
  const timedOut: Expected = ['exhausted', 'timeout', null];
  const unreachable: Expected = ['exhausted', 'unreachable', null];
  it.each<[string, (socket: Socket) => void, Expected, timeoutMs?: number, scheme?: string]>([
    ['whose 200 cannot be read has acknowledged', raw(unreadable), acknowledged],
    ['whose 410 breaks off has refused', raw(cut), ['refused', 'refused', 410]],
    [
      'that sends a gigabyte has it read to 1,024 bytes',
      gigabyte,
      ['delivered', 'acknowledged', 200, 'g'.repeat(1_024)],
    ],
    ['that does not answer is timed out', silent, timedOut, 150],
    ['that sends 200 and a byte now and then is timed out', drip, timedOut, 150],
    ['that does not speak TLS is unreachable', (socket) => socket.end('no TLS'), unreachable, 2_000, 'https'],
    ['that hangs up is unreachable', (socket) => socket.destroy(), unreachable, 2_000],
    ['that does not speak HTTP answers badly', ssh, ['exhausted', 'bad_response', null]],
  ])('%s', async (_what, behaviour, expected, timeoutMs = 5_000, scheme = 'http') => {
    posts = 0;
    const to: Listener = await listen(behaviour);
    onEnd(to.close);
    const origin = `${scheme}://127.0.0.1:${to.port}`;
    const fixture = await open({ allow: [origin], limits: { timeoutMs } });
    await fixture.clear();
    await expectEnd(fixture, origin, expected);
    if (expected[1] === 'unreachable') expect(to.seen.connections).toBe(4);
    if (expected[1] === 'timeout') expect(posts).toBe(4);
    expect(to.seen.bytesOut).toBeLessThan(32 * 2 ** 20);
  });
});

describe('a delivery', () => {
  it('carries the time of its attempt, not of its event', async () => {
    const { to, fixture } = await openTowards(answer(500));
    await fixture.register(to.origin);
    await fixture.emitTicks(1);
    for (const seconds of [100, 10]) {
      await fixture.age(seconds * second);
      await fixture.deliverAllDue();
    }
    expect(to.received).toHaveLength(2);
    for (const { headers } of to.received)
      expect(Date.now() / second - Number(headers['webhook-timestamp'])).toBeLessThan(60);
    const { createdAt } = JSON.parse(to.received[0]?.body ?? '');
    expect(createdAt < new Date(Date.now() - 100 * second).toISOString()).toBe(true);
  });
});
