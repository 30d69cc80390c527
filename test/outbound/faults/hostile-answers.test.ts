import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createOutbound, type OutboundError } from '../../../server/outbound/outbound.js';
import {
  dripping,
  expectCutOff,
  head,
  maxBytes,
  outboundCalls,
  withLength,
} from '../../fixtures/outbound/calls.js';
import { answering, listen } from '../../fixtures/outbound/listener.js';
import { waitFor } from '../../support/wait-for.js';

const { callTo, closers } = outboundCalls();

describe('an answer that never ends', () => {
  it.each([
    ['never begins', () => {}, 'http'],
    ['never starts TLS after the TCP connection', () => {}, 'https'],
    ['sends its header block byte by byte', dripping('HTTP/1.1 200 OK\r\nX: ', 'a'), 'http'],
    ['sends interim answers forever', dripping('', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'), 'http'],
    ['stops after its header block', answering(head('Content-Length: 5')), 'http'],
    ['sends its body byte by byte', dripping(head('Content-Length: 50000'), 'a'), 'http'],
    [
      'sends its compressed body byte by byte',
      dripping(head('Content-Encoding: gzip', 'Content-Length: 50000'), '\u001f'),
      'http',
    ],
    [
      'sends chunk extensions forever',
      dripping(head('Transfer-Encoding: chunked').concat('5;'), 'a'),
      'http',
    ],
  ])('fails with timeout after timeoutMs when it %s', async (what, behaviour, scheme) => {
    const { outcome, elapsedMs, listener } = await callTo(behaviour, { timeoutMs: 400 }, scheme);
    // The gzip body repeats a byte of its magic number, so it is soon found to be invalid.
    expect(outcome).toBe(what.includes('compressed') ? 'bad_response' : 'timeout');
    expect(elapsedMs).toBeLessThan(3_500);
    // An attempt to connect has a time limit of its own.
    if (scheme === 'http') await expectCutOff(listener);
  });

  it('fails with timeout when the lookup never ends', async () => {
    const { request, close } = createOutbound({ allow: [], lookup: () => new Promise(() => {}) });
    closers.push(close);
    await expect(request({ url: 'https://anchor.example/', timeoutMs: 50, maxBytes })).rejects.toMatchObject({
      failure: 'timeout',
    });
  });

  it('fails with timeout while the call waits for its turn', async () => {
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

describe('an invalid answer', () => {
  const says = (...headers: string[]) => answering(head(...headers).concat('ab'));
  const closing = (text: string) => answering((socket) => socket.end(text));
  const resetting = (text: string) =>
    answering((socket) => {
      socket.write(text, () => socket.resetAndDestroy());
    });
  const chunked = head('Transfer-Encoding: chunked');
  const coded = (coding: string, body = Buffer.from('hello')) => answering(withLength(coding, body));

  it.each<[what: string, behaviour: (socket: Socket) => void, failure?: string]>([
    ['is not HTTP', answering('SSH-2.0-OpenSSH_9.6\r\n')],
    ['is HTTP/0.9', answering('<html>hello</html>')],
    ['has two lengths', says('Content-Length: 1', 'Content-Length: 2')],
    ['has length and chunks', says('Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['has a negative length', says('Content-Length: -1')],
    ['has broken chunks', answering(`${chunked}zz\r\n`)],
    ['has a header without a name', answering('HTTP/1.1 200 OK\r\n: a\r\n\r\n')],
    ['closes before it begins', closing(''), 'unreachable'],
    ['resets before it begins', answering((socket) => socket.resetAndDestroy()), 'unreachable'],
    ['closes immediately', (socket) => socket.end(), 'unreachable'],
    ['closes in its header block', closing('HTTP/1.1 200 OK\r\nX-A'), 'unreachable'],
    ['closes in its body', closing(`${head('Content-Length: 5')}ab`)],
    ['closes in a chunk', closing(`${chunked}5\r\nab`)],
    ['resets before its gzip body', resetting(head('Content-Encoding: gzip', 'Content-Length: 5'))],
    ['resets in its body', resetting(`${head('Content-Length: 5')}ab`)],
    ['says gzip but is not', coded('gzip')],
    ['is truncated gzip', coded('gzip', gzipSync('hello').subarray(0, 15))],
    ['says br but is not', coded('br')],
    ['says deflate but is not', coded('deflate')],
  ])('fails when it %s', async (_what, behaviour, failure = 'bad_response') => {
    expect((await callTo(behaviour)).outcome).toBe(failure);
  });

  it.each(['gzip, gzip', 'br,gzip', 'zstd', 'utf-8'])(
    'is returned undecoded when its coding is %j',
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

  it('fails when it switches protocols without being asked', async () => {
    const behaviour = answering(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    );
    expect(['bad_response', 'unreachable']).toContain((await callTo(behaviour)).outcome);
  });

  it.each([
    ['answers in clear text', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['answers with noise', (socket: Socket) => socket.end(Buffer.alloc(1_000, 0x16))],
    ['closes immediately', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('is unreachable over TLS when it %s', async (_what, behaviour) => {
    expect((await callTo(behaviour, {}, 'https')).outcome).toBe('unreachable');
  });

  it('cannot answer the next call in advance over the same connection', async () => {
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

  it('cannot set the prototype of the headers', async () => {
    const listener = await listen(answering(head('__proto__: a', 'constructor: b', 'Content-Length: 0')));
    const origin = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [origin] });
    closers.push(close, listener.close);
    const { headers } = await request({ url: origin, timeoutMs: 1_000, maxBytes });
    expect(Object.getPrototypeOf(headers)).toBeNull();
    expect(Object.entries(headers)).toContainEqual(['constructor', 'b']);
  });
});

describe('a host that does not answer', () => {
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
  it('ends running calls and idle connections, and refuses further calls', async () => {
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
    await waitFor(() => expect(silent.seen.bytesIn).toBeGreaterThan(0));
    await close();
    expect(await waiting).toBe('unreachable');
    await waitFor(() => expect([listener.seen.open, silent.seen.open]).toEqual([0, 0]));
    await expect(request({ url: origin, timeoutMs: 1_000, maxBytes })).rejects.toMatchObject({
      failure: 'unreachable',
    });
    await close();
  });
});
