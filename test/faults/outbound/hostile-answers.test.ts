import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOutbound, OutboundError, type OutboundRequest } from '../../../server/outbound/outbound.js';
import { answering, type Listener, listen } from './listener.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const maxBytes = 64 * 1_024;

interface Outcome {
  listener: Listener;
  /** The failure, or the answer's status. */
  outcome: string | number;
  elapsedMs: number;
}

/** One call to a listener of this behaviour, which afterwards must not be left with an open socket. */
async function callTo(
  behaviour: (socket: Socket) => void,
  changes: Partial<OutboundRequest> = {},
  scheme = 'http',
): Promise<Outcome> {
  const listener = await listen(behaviour);
  const origin = `${scheme}://127.0.0.1:${listener.port}`;
  const { request, close } = createOutbound({ allow: [origin] });
  closers.push(close, listener.close);
  const startedAt = performance.now();
  const outcome = await request({ url: `${origin}/`, timeoutMs: 1_000, maxBytes, ...changes }).then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof OutboundError) return error.failure;
      throw error;
    },
  );
  const elapsedMs = performance.now() - startedAt;
  if (typeof outcome === 'string') {
    await vi.waitFor(() => expect(listener.seen.open).toBe(0), { timeout: 2_000, interval: 10 });
  }
  return { listener, outcome, elapsedMs };
}

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const withLength = (coding: string, body: Buffer) =>
  Buffer.concat([Buffer.from(head(`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`)), body]);

/** Writes for as long as the other side takes it, first the start, then the same again and again. */
function endless(start: string, again: string | Buffer): (socket: Socket) => void {
  return answering((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(again));
    };
    socket.on('drain', more);
    socket.write(start);
    more();
  });
}

/** Writes the start at once, then one piece every few milliseconds for ever. */
function dripping(start: string, piece: string): (socket: Socket) => void {
  return answering((socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  });
}

describe('an answer that is too large', () => {
  const megabyte = Buffer.alloc(1_048_576, 'a');

  it.each([
    ['ends with the connection', endless(head('Connection: close'), megabyte)],
    ['announces a gigabyte', endless(head('Content-Length: 1073741824'), megabyte)],
    [
      'comes in endless chunks',
      endless(
        head('Transfer-Encoding: chunked'),
        Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]),
      ),
    ],
    [
      'comes in endless chunks of one byte',
      endless(head('Transfer-Encoding: chunked'), '1\r\na\r\n'.repeat(10_000)),
    ],
  ])('is cut off soon after the cap when it %s', async (_what, behaviour) => {
    const { outcome, listener, elapsedMs } = await callTo(behaviour, { timeoutMs: 5_000 });
    expect(outcome).toBe('too_large');
    expect(elapsedMs).toBeLessThan(4_000);
    // What the kernel's socket buffers and one write of the listener hold, not what it meant to send.
    expect(listener.seen.bytesOut).toBeLessThan(32 * 1_048_576);
  });

  const zeros = Buffer.alloc(64 * 1_048_576);
  it.each([
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['deflate', deflateSync(zeros)],
  ])('is cut off when a small %s body unpacks to 64 MiB', async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(maxBytes);
    const before = process.memoryUsage().arrayBuffers;
    expect((await callTo(answering(withLength(coding, bomb)))).outcome).toBe('too_large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1_048_576);
  });

  it('is cut off when its compressed form never ends and unpacks to nothing', async () => {
    const start = head('Content-Encoding: gzip', 'Connection: close');
    const behaviour = endless(start, Buffer.concat(Array(1_000).fill(gzipSync(''))));
    expect((await callTo(behaviour, { timeoutMs: 5_000 })).outcome).toBe('too_large');
  });

  it.each([
    ['one endless header', endless('HTTP/1.1 200 OK\r\nX-A: ', 'a'.repeat(10_000))],
    ['endless headers', endless('HTTP/1.1 200 OK\r\n', 'X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(100))],
    [
      'endless trailers',
      endless(
        head('Transfer-Encoding: chunked', 'Trailer: X-A').concat('0\r\n'),
        'X-A: aaaaaaaaaaaaaaa\r\n'.repeat(100),
      ),
    ],
  ])('is cut off when it has %s', async (_what, behaviour) => {
    expect(['too_large', 'bad_response']).toContain((await callTo(behaviour, { timeoutMs: 5_000 })).outcome);
  });

  it('may be exactly as large as the cap', async () => {
    const exact = Buffer.alloc(maxBytes, 'a');
    expect((await callTo(answering(withLength('gzip', gzipSync(exact))))).outcome).toBe(200);
    expect((await callTo(answering(withLength('identity', exact)))).outcome).toBe(200);
    const over = Buffer.alloc(maxBytes + 1, 'a');
    expect((await callTo(answering(withLength('gzip', gzipSync(over))))).outcome).toBe('too_large');
    expect((await callTo(answering(withLength('identity', over)))).outcome).toBe('too_large');
  });
});

describe('a caller who asks for the beginning only', () => {
  it.each([
    ['plain', endless(head('Connection: close'), 'abcdefgh'.repeat(1_000))],
    ['compressed', answering(withLength('gzip', gzipSync('abcdefgh'.repeat(1_000_000))))],
  ])('gets the first maxBytes of a %s body, and the connection is dropped', async (_what, behaviour) => {
    const listener = await listen(behaviour);
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close, listener.close);
    const answer = await request({ url: origin, timeoutMs: 5_000, maxBytes: 20, onOverflow: 'truncate' });
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body.toString()).toBe('abcdefghabcdefghabcd');
    await vi.waitFor(() => expect(listener.seen.open).toBe(0), { timeout: 2_000, interval: 10 });
  });

  it('gets a short body whole', async () => {
    const listener = await listen(answering(withLength('identity', Buffer.from('short'))));
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close, listener.close);
    const answer = await request({ url: origin, timeoutMs: 1_000, maxBytes: 20, onOverflow: 'truncate' });
    expect(answer).toMatchObject({ truncated: false });
    expect(answer.body.toString()).toBe('short');
  });
});

describe('an answer that does not come to its end', () => {
  it.each([
    ['never begins', () => {}, 'http'],
    ['never gets past the TCP connection when TLS is due', () => {}, 'https'],
    ['sends its header block byte by byte', dripping('HTTP/1.1 200 OK\r\nX: ', 'a'), 'http'],
    ['sends interim answers for ever', dripping('', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'), 'http'],
    ['stops after its header block', answering(head('Content-Length: 5')), 'http'],
    ['sends its body byte by byte', dripping(head('Content-Length: 50000'), 'a'), 'http'],
    [
      'sends its compressed body byte by byte',
      dripping(head('Content-Encoding: gzip', 'Content-Length: 50000'), '\u001f'),
      'http',
    ],
    [
      'sends chunk extensions for ever',
      dripping(head('Transfer-Encoding: chunked').concat('5;'), 'a'),
      'http',
    ],
  ])('is given up after timeoutMs when it %s', async (what, behaviour, scheme) => {
    const { outcome, elapsedMs } = await callTo(behaviour, { timeoutMs: 400 }, scheme);
    // The byte that is dripped as gzip is its magic number repeated, and so soon known to be wrong.
    expect(outcome).toBe(what.includes('compressed') ? 'bad_response' : 'timeout');
    expect(elapsedMs).toBeLessThan(3_500);
  });

  it('is given up when the lookup never ends', async () => {
    const { request, close } = createOutbound({ allow: [], lookup: () => new Promise(() => {}) });
    closers.push(close);
    await expect(request({ url: 'https://anchor.example/', timeoutMs: 50, maxBytes })).rejects.toMatchObject({
      failure: 'timeout',
    });
  });

  it('is given up while it waits for its turn', async () => {
    const listener = await listen();
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin], maxConcurrent: 1 });
    closers.push(close, listener.close);
    const calls = [500, 50].map((timeoutMs) =>
      request({ url: origin, timeoutMs, maxBytes }).catch((error) => error),
    );
    const first = await Promise.race(calls);
    expect(first).toMatchObject({ failure: 'timeout', message: 'no answer in 50 ms' });
    expect(await calls[0]).toMatchObject({ failure: 'timeout' });
    expect(listener.seen.connections).toBe(1);
  });
});

describe('an answer that is not one', () => {
  it.each([
    ['is no HTTP', answering('SSH-2.0-OpenSSH_9.6\r\n'), 'bad_response'],
    ['is HTTP/0.9', answering('<html>hello</html>'), 'bad_response'],
    [
      'has two lengths',
      answering(head('Content-Length: 1', 'Content-Length: 2').concat('ab')),
      'bad_response',
    ],
    [
      'has length and chunks',
      answering(head('Content-Length: 1', 'Transfer-Encoding: chunked').concat('ab')),
      'bad_response',
    ],
    ['has a negative length', answering(head('Content-Length: -1')), 'bad_response'],
    ['has broken chunks', answering(head('Transfer-Encoding: chunked').concat('zz\r\n')), 'bad_response'],
    ['has a header without a name', answering('HTTP/1.1 200 OK\r\n: a\r\n\r\n'), 'bad_response'],
    ['closes before it begins', answering((socket) => socket.end()), 'unreachable'],
    ['resets before it begins', answering((socket) => socket.resetAndDestroy()), 'unreachable'],
    ['closes at once', (socket: Socket) => socket.end(), 'unreachable'],
    [
      'closes in its header block',
      answering((socket) => socket.end('HTTP/1.1 200 OK\r\nX-A')),
      'unreachable',
    ],
    [
      'closes in its body',
      answering((socket) => socket.end(head('Content-Length: 5').concat('ab'))),
      'bad_response',
    ],
    [
      'resets before its gzip body',
      answering((socket) => {
        socket.write(head('Content-Encoding: gzip', 'Content-Length: 5'), () => socket.resetAndDestroy());
      }),
      'bad_response',
    ],
    [
      'resets in its body',
      answering((socket) => {
        socket.write(head('Content-Length: 5').concat('ab'), () => socket.resetAndDestroy());
      }),
      'bad_response',
    ],
    [
      'closes in a chunk',
      answering((socket) => socket.end(head('Transfer-Encoding: chunked').concat('5\r\nab'))),
      'bad_response',
    ],
    ['is gzip that is not', answering(withLength('gzip', Buffer.from('hello'))), 'bad_response'],
    ['is gzip cut short', answering(withLength('gzip', gzipSync('hello').subarray(0, 15))), 'bad_response'],
    ['is br that is not', answering(withLength('br', Buffer.from('hello'))), 'bad_response'],
    ['is deflate that is not', answering(withLength('deflate', Buffer.from('hello'))), 'bad_response'],
  ])('fails when it %s', async (_what, behaviour, failure) => {
    expect((await callTo(behaviour)).outcome).toBe(failure);
  });

  it.each(['gzip, gzip', 'br,gzip', 'zstd', 'utf-8'])(
    'is handed over as it came under the coding %j',
    async (coding) => {
      const stacked = gzipSync(gzipSync(Buffer.alloc(64 * 1_048_576)));
      const listener = await listen(answering(withLength(coding, stacked)));
      const origin = `http://127.0.0.1:${listener.port}`;
      const { request, close } = createOutbound({ allow: [origin] });
      closers.push(close, listener.close);
      const { body } = await request({ url: origin, timeoutMs: 1_000, maxBytes });
      expect(body.equals(stacked)).toBe(true);
    },
  );

  it('fails when it switches protocols unasked', async () => {
    const behaviour = answering(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    );
    expect(['bad_response', 'unreachable']).toContain((await callTo(behaviour)).outcome);
  });

  it.each([
    ['answers in clear text', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['answers with noise', (socket: Socket) => socket.end(Buffer.alloc(1_000, 0x16))],
    ['closes at once', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('is unreachable over TLS when it %s', async (_what, behaviour) => {
    expect((await callTo(behaviour, {}, 'https')).outcome).toBe('unreachable');
  });

  it('cannot slip a second answer to the next call over the same connection', async () => {
    const one = (text: string) => head(`Content-Length: ${text.length}`).concat(text);
    let connections = 0;
    const listener = await listen((socket) => {
      connections += 1;
      answering(connections === 1 ? one('first') + one('forged') : one('second'))(socket);
    });
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close, listener.close);
    const call = { url: origin, timeoutMs: 1_000, maxBytes };
    const first = await request(call).then(
      ({ body }) => body.toString(),
      (error: OutboundError) => error.failure,
    );
    expect(['first', 'bad_response', 'unreachable']).toContain(first);
    expect((await request(call)).body.toString()).toBe('second');
  });

  it('cannot reach the prototype of the headers', async () => {
    const listener = await listen(answering(head('__proto__: a', 'constructor: b', 'Content-Length: 0')));
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close, listener.close);
    const { headers } = await request({ url: origin, timeoutMs: 1_000, maxBytes });
    expect(Object.getPrototypeOf(headers)).toBeNull();
    expect(Object.entries(headers)).toContainEqual(['constructor', 'b']);
  });
});

describe('nobody there', () => {
  it('is unreachable when the port is closed', async () => {
    const listener = await listen();
    await listener.close();
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close);
    await expect(request({ url: origin, timeoutMs: 1_000, maxBytes })).rejects.toMatchObject({
      failure: 'unreachable',
    });
  });

  it.each([
    [
      'the lookup fails',
      async () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
    ],
    ['the name has no address', async () => []],
  ])('is unreachable when %s', async (_what, lookup) => {
    const { request, close } = createOutbound({ allow: [], lookup });
    closers.push(close);
    await expect(
      request({ url: 'https://anchor.example/', timeoutMs: 1_000, maxBytes }),
    ).rejects.toMatchObject({
      failure: 'unreachable',
    });
  });
});

describe('close', () => {
  it('ends calls under way and connections at rest, and lets no further call out', async () => {
    const listener = await listen(answering(head('Content-Length: 0')));
    const silent = await listen();
    const [origin, silentOrigin] = [listener, silent].map(({ port }) => `http://127.0.0.1:${port}`) as [
      string,
      string,
    ];
    const { request, close } = createOutbound({ allow: [origin, silentOrigin] });
    closers.push(listener.close, silent.close);
    await request({ url: origin, timeoutMs: 1_000, maxBytes });
    const waiting = request({ url: silentOrigin, timeoutMs: 10_000, maxBytes }).catch(
      (error: OutboundError) => error.failure,
    );
    await vi.waitFor(() => expect(silent.seen.bytesIn).toBeGreaterThan(0));
    await close();
    expect(await waiting).toBe('unreachable');
    await vi.waitFor(() => expect([listener.seen.open, silent.seen.open]).toEqual([0, 0]));
    await expect(request({ url: origin, timeoutMs: 1_000, maxBytes })).rejects.toMatchObject({
      failure: 'unreachable',
    });
    await close();
  });
});
