import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parseTrustProxy } from '../../../server/http/client-key.js';
import type { ConnectionEnd, ConnectionRules } from '../../../server/http/connections.js';
import { type Listener, listen } from '../../../server/http/listen.js';
import { askFrom, neverReading } from '../../fixtures/edge/stubborn-client.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

/** Only Linux assigns every address of 127.0.0.0/8 to this machine. */
const itOnLinux = itWhere(process.platform === 'linux', 'not Linux: bounds on the connections of a client');
const stalledWriteMs = 1_000;
const big = Buffer.alloc(1_000_000);
const request = 'GET /big HTTP/1.1\r\nHost: x\r\n\r\n';
const mebibytes = request.repeat(40);

const answers: RequestListener = (req, res) => {
  if (req.url === '/begin') res.write('begun');
  else if (req.url !== '/hold') res.end(req.url === '/big' ? big : 'ok');
};

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.stop(0);
  listener = undefined;
});

async function start(rules: Partial<ConnectionRules> = {}) {
  const ends: Partial<Record<ConnectionEnd, number>> = {};
  let open = 0;
  const meter = {
    opened: () => {
      open += 1;
    },
    closed: () => {
      open -= 1;
    },
    ended: (why: ConnectionEnd) => {
      ends[why] = (ends[why] ?? 0) + 1;
    },
  };
  listener = await listen(answers, {
    host: '127.0.0.1',
    port: 0,
    newId: () => '0'.repeat(32),
    connections: {
      max: 1_000,
      maxPerClient: 1_000,
      stalledWriteMs,
      idleMs: 60_000,
      trustProxy: [],
      meter,
      ...rules,
    },
  });
  const { port } = listener;
  const ask = (from: string) => askFrom({ port, from, path: '/' });
  const flood = (from: string, count: number, text = mebibytes) => neverReading({ port, from, count, text });
  return { port, ends, openCount: () => open, ask, flood };
}

describe('a client that does not read', () => {
  it('is cut off after the time without progress, and counted', async () => {
    const { flood, ends, openCount } = await start();
    const stalled = await flood('127.0.0.1', 5);
    await waitFor(async () => expect(openCount()).toBe(0), { timeout: 15_000 });
    expect(ends).toEqual({ stalled: 5 });
    stalled.end();
  });

  it('is also cut off if it goes on sending requests', async () => {
    const { flood, openCount } = await start();
    const stalled = await flood('127.0.0.1', 1);
    const timer = setInterval(() => stalled.sockets[0]?.write('G'), 100);
    await waitFor(async () => expect(openCount()).toBe(0), { timeout: 15_000 });
    clearInterval(timer);
    stalled.end();
  });

  it('does not keep the connection of a CONNECT, which nothing else would close at a stop', async () => {
    const { flood, openCount, ends } = await start({ stalledWriteMs: 60_000 });
    const open = await flood('127.0.0.1', 3, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
    await waitFor(async () => expect(openCount()).toBe(0), { timeout: 15_000 });
    expect(ends).toEqual({});
    open.end();
  });

  it('ends nothing but its own connection if it resets that after a CONNECT', async () => {
    const { openCount, port } = await start({ stalledWriteMs: 60_000 });
    for (let nth = 0; nth < 200; nth += 1) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', () =>
        socket.resetAndDestroy(),
      );
      if (nth % 10 === 0) await delay(1);
    }
    await waitFor(async () => expect(openCount()).toBe(0), { timeout: 15_000 });
    expect(await askFrom({ port, from: '127.0.0.1', path: '/' })).toBe(200);
  });

  it('is cut off after a refusal on the socket if it does not close its side', async () => {
    const { flood, openCount, ends } = await start();
    const stalled = await flood('127.0.0.1', 3, 'nonsense\r\n\r\n');
    await waitFor(async () => expect(openCount()).toBe(0), { timeout: 15_000 });
    expect(ends).toEqual({ stalled: 3 });
    stalled.end();
  });
});

it.each([
  ['is not HTTP', 'nonsense\r\n\r\n'],
  ['is a CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'],
])(
  'an answer that has begun is cut off, and not followed by another, where what comes after its request %s',
  async (_what, next) => {
    const { port } = await start();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write('GET /begin HTTP/1.1\r\nHost: x\r\n\r\n');
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.includes('begun')) socket.write(next);
    }
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  },
);

it('a connection is closed once it was idle for its time, and is not counted as cut off', async () => {
  const { port, openCount, ends } = await start({ idleMs: 300 });
  const socket = connect({ port, host: '127.0.0.1' });
  const answered = 4;
  for (let nth = 0; nth < answered; nth += 1) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await delay(200);
  }
  expect(openCount()).toBe(1);
  let late = '';
  socket.on('data', (chunk) => {
    late += chunk;
  });
  // A part of another request is not a sign of life for ever. Node would answer it with 408 after five seconds.
  socket.write('GET / HT');
  await once(socket, 'close');
  expect(late).toBe('');
  expect(ends).toEqual({});
  await waitFor(async () => expect(openCount()).toBe(0));
});

it('a request whose answer takes longer than the limit is not cut off', async () => {
  const { flood, openCount } = await start({ stalledWriteMs: 200, idleMs: 200 });
  const held = await flood('127.0.0.1', 1, 'GET /hold HTTP/1.1\r\nHost: x\r\n\r\n');
  await delay(1_000);
  expect(openCount()).toBe(1);
  held.end();
});

describe('the bound per client', () => {
  itOnLinux('refuses further connections of one address, and no other address', async () => {
    const { flood, ask, ends, openCount } = await start({ maxPerClient: 10, stalledWriteMs: 60_000 });
    const crowd = await flood('127.0.0.1', 260);
    await waitFor(async () => expect(ends).toEqual({ client_full: 250 }), { timeout: 10_000 });
    expect(await ask('127.0.0.1')).not.toBe(200);
    expect(await ask('127.0.0.2')).toBe(200);
    expect(ends).toEqual({ client_full: 251 });
    expect(openCount()).toBe(10);
    crowd.end();
    await waitFor(async () => expect(openCount()).toBe(0), { timeout: 10_000 });
    expect(await ask('127.0.0.1')).toBe(200);
  });

  itOnLinux(
    'does not count for a trusted proxy, whose connections the bound in all still counts',
    async () => {
      const trustProxy = parseTrustProxy('127.0.0.3');
      const { flood, openCount, ends } = await start({ max: 40, maxPerClient: 10, trustProxy });
      const proxy = await flood('127.0.0.3', 60, 'GET /hold HTTP/1.1\r\nHost: x\r\n\r\n');
      await waitFor(async () => expect(ends).toEqual({ all_full: 20 }), { timeout: 10_000 });
      expect(openCount()).toBe(40);
      proxy.end();
    },
  );
});

describe('at the bound of all connections', () => {
  itOnLinux('the client that holds the most gives way, so that another address is served', async () => {
    const { flood, ask, ends, openCount } = await start({ max: 50, stalledWriteMs: 60_000 });
    const crowd = await flood('127.0.0.1', 260);
    for (let asked = 0; asked < 20; asked += 1) expect(await ask('127.0.0.2')).toBe(200);
    expect(openCount()).toBeLessThanOrEqual(50);
    expect(ends.all_full).toBeGreaterThanOrEqual(210);
    expect(ends.gave_way).toBeGreaterThanOrEqual(1);
    crowd.end();
  });

  itOnLinux(
    'an idle connection gives way before one with a request, and a request of a proxy never',
    async () => {
      const { ask, flood, ends } = await start({ max: 10, trustProxy: parseTrustProxy('127.0.0.3') });
      const hold = 'GET /hold HTTP/1.1\r\nHost: x\r\n\r\n';
      const busy = await flood('127.0.0.3', 9, hold);
      const idle = await flood('127.0.0.3', 1, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await delay(200);
      expect(await ask('127.0.0.2')).toBe(200);
      expect(ends).toEqual({ gave_way: 1 });
      const last = await flood('127.0.0.3', 1, hold);
      await delay(200);
      expect(await ask('127.0.0.2')).not.toBe(200);
      expect(ends).toEqual({ gave_way: 1, all_full: 1 });
      for (const client of [busy, idle, last]) client.end();
    },
  );
});
