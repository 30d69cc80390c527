import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Listener, type ListenOptions, listen } from '../../../server/http/listen.js';
import { waitFor } from '../../support/wait-for.js';

const silentMs = 1_000;
const big = Buffer.alloc(1_000_000);
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const mebibytes = request('/big').repeat(40);
const connectRequest = 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n';

const answers: RequestListener = (req, res) => {
  if (req.url === '/begin') res.write('begun');
  else if (req.url === '/long') res.setTimeout(0);
  else if (req.url !== '/hold') res.end(req.url === '/big' ? big : 'ok');
};

/**
 * Opens connections that send the given bytes and never read an answer. They do not notice when they are closed, since
 * noticing would require reading.
 */
async function neverReading(port: number, count: number, text: string) {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.pause();
    socket.on('error', () => undefined);
    return socket;
  });
  const sent = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.once('connect', () => socket.write(text, () => resolve()));
      }),
  );
  await Promise.all(sent);
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { sockets, end };
}

const statusOf = async (port: number, path: string) =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.stop(0);
  listener = undefined;
});

async function start(options: Partial<ListenOptions> = {}) {
  const seen = { open: 0, refused: 0 };
  const count = (what: keyof typeof seen, by: number) => () => {
    seen[what] += by;
  };
  const meter = { opened: count('open', 1), closed: count('open', -1), refused: count('refused', 1) };
  const newId = () => '0'.repeat(32);
  const usual = { host: '127.0.0.1', port: 0, maxConnections: 1_000, silentMs, meter, newId };
  listener = await listen(answers, { ...usual, ...options });
  const { port } = listener;
  const flood = (count: number, text: string) => neverReading(port, count, text);
  const untilClosed = () => waitFor(() => expect(seen.open).toBe(0), { timeout: 15_000 });
  return { port, flood, untilClosed, seen };
}

describe('a client that does not read', () => {
  it.each([
    ['asks once', mebibytes],
    ['has sent what is not HTTP', 'nonsense\r\n\r\n'],
    ['wants a proxy', connectRequest],
  ])('is cut off after the time without a byte where it %s', async (_what, text) => {
    const { flood, untilClosed } = await start();
    const stalled = await flood(5, text);
    await untilClosed();
    stalled.end();
  });

  it('is also cut off if it goes on sending requests', async () => {
    const { flood, untilClosed } = await start();
    const stalled = await flood(1, mebibytes);
    const timer = setInterval(() => stalled.sockets[0]?.write('G'), 100);
    await untilClosed();
    clearInterval(timer);
    stalled.end();
  });

  it('is not cut off while it reads a little at a time', async () => {
    const { port } = await start();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.write(mebibytes);
    let received = 0;
    const startedAt = performance.now();
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received % 1_000_000 >= chunk.length) return;
      socket.pause();
      setTimeout(() => socket.resume(), 100);
    });
    await waitFor(() => expect(received).toBeGreaterThan(40 * big.length), { timeout: 30_000 });
    expect(performance.now() - startedAt).toBeGreaterThan(3 * silentMs);
    socket.destroy();
  });
});

it('clients that reset their connection after a CONNECT end nothing but that connection', async () => {
  const { port, untilClosed } = await start();
  for (let nth = 0; nth < 200; nth += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(connectRequest, () => socket.resetAndDestroy());
    if (nth % 10 === 0) await delay(1);
  }
  await untilClosed();
  expect(await statusOf(port, '/')).toBe(200);
});

it.each([
  ['is not HTTP', 'nonsense\r\n\r\n'],
  ['is a CONNECT', connectRequest],
  ['is another request, then what is not HTTP', `${request('/')}nonsense\r\n\r\n`],
])(
  'an answer that has begun is cut off, and not followed by another, where what comes after its request %s',
  async (_what, next) => {
    const { port } = await start();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(request('/begin'));
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.includes('begun')) socket.write(next);
    }
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  },
);

it('a connection is ended where nothing is answered or asked in the time, unless a handler has said that it takes longer', async () => {
  const { port } = await start();
  const ask = (path: string) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request(path)));
    socket.on('error', () => undefined).resume();
    return socket;
  };
  const long = ask('/long');
  const silent = [ask('/hold'), ask('/')];
  await Promise.all(silent.map((socket) => once(socket, 'close')));
  await delay(2 * silentMs);
  expect(long.closed).toBe(false);
  long.destroy();
});

it('connections beyond the bound are closed at once and counted, and the others served', async () => {
  const { port, flood, seen, untilClosed } = await start({ maxConnections: 10, silentMs: 60_000 });
  const crowd = await flood(60, request('/hold'));
  await waitFor(() => expect(seen).toEqual({ open: 10, refused: 50 }), { timeout: 10_000 });
  crowd.end();
  await untilClosed();
  expect(await statusOf(port, '/')).toBe(200);
});
