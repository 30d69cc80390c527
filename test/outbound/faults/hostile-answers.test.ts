import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createOutbound } from '../../../server/outbound/outbound.js';
import {
  answering,
  dripping,
  expectCutOff,
  head,
  listen,
  maxBytes,
  outboundCalls,
  outcomeOf,
  withLength,
} from '../../fixtures/outbound/calls.js';
import { waitFor } from '../../support/wait-for.js';

const { callTo, serving, connector } = outboundCalls();
const named = { url: 'https://anchor.example/', timeoutMs: 1_000, maxBytes };

describe('an answer that never ends', () => {
  const drips = (start: string, piece = 'a') => dripping(start, piece);
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n';
  const compressed = head('Content-Encoding: gzip', 'Content-Length: 50000');

  it.each<[what: string, behaviour: (socket: Socket) => void, failure?: string, scheme?: string]>([
    ['never begins', () => {}],
    ['never starts TLS after the TCP connection', () => {}, 'timeout', 'https'],
    ['sends its header block byte by byte', drips('HTTP/1.1 200 OK\r\nX: ')],
    ['sends interim answers forever', drips('', interim)],
    ['stops after its header block', answering(head('Content-Length: 5'))],
    ['sends its body byte by byte', drips(head('Content-Length: 50000'))],
    // The body repeats a byte of its magic number, so it is soon found to be invalid.
    ['sends its compressed body byte by byte', drips(compressed, '\u001f'), 'bad_response'],
    ['sends chunk extensions forever', drips(`${head('Transfer-Encoding: chunked')}5;`)],
  ])('fails after timeoutMs when it %s', async (_what, behaviour, failure = 'timeout', scheme = 'http') => {
    const { outcome, elapsedMs, listener } = await callTo(behaviour, { timeoutMs: 400 }, scheme);
    expect(outcome).toBe(failure);
    expect(elapsedMs).toBeLessThan(3_500);
    // An attempt to connect has a time limit of its own.
    if (scheme === 'http') await expectCutOff(listener);
  });

  it('fails with timeout when the lookup never ends', async () => {
    const request = connector({ lookup: () => new Promise(() => {}) });
    expect(await outcomeOf(request({ ...named, timeoutMs: 50 }))).toBe('timeout');
  });

  it('fails with timeout while the call waits for its turn', async () => {
    const { listener, url } = await serving();
    const request = connector({ allow: [url], maxConcurrent: 1 });
    const calls = [500, 50].map((timeoutMs) => request({ url, timeoutMs, maxBytes }).catch((error) => error));
    expect(await Promise.race(calls)).toMatchObject({ failure: 'timeout', message: 'no answer in 50 ms' });
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

  it.each<[what: string, behaviour: (socket: Socket) => void, failure?: string, scheme?: string]>([
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
    ['is clear text', (socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'), 'unreachable', 'https'],
    ['is noise', (socket) => socket.end(Buffer.alloc(1_000, 0x16)), 'unreachable', 'https'],
    ['is the end of the connection', (socket) => socket.end(), 'unreachable', 'https'],
    ['is a reset', (socket) => socket.resetAndDestroy(), 'unreachable', 'https'],
  ])('fails when it %s', async (_what, behaviour, failure = 'bad_response', scheme = 'http') => {
    expect((await callTo(behaviour, {}, scheme)).outcome).toBe(failure);
  });

  it('fails when it switches protocols without being asked', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n';
    expect(['bad_response', 'unreachable']).toContain((await callTo(answering(upgrade))).outcome);
  });

  it.each(['gzip, gzip', 'br,gzip', 'zstd', 'utf-8'])(
    'is returned as it is in the coding %j',
    async (coding) => {
      const stacked = gzipSync(gzipSync(Buffer.alloc(64 * 1_048_576)));
      const { call } = await serving(answering(withLength(coding, stacked)));
      expect((await call()).body.equals(stacked)).toBe(true);
    },
  );

  it('cannot answer the next call in advance over the same connection', async () => {
    const one = (text: string) => head(`Content-Length: ${text.length}`).concat(text);
    let connections = 0;
    const { call } = await serving((socket) => {
      connections += 1;
      answering(connections === 1 ? one('first') + one('forged') : one('second'))(socket);
    });
    const first = await outcomeOf(call());
    expect([200, 'bad_response', 'unreachable']).toContain(first);
    expect((await call()).body.toString()).toBe('second');
  });

  it('cannot set the prototype of the headers', async () => {
    const { call } = await serving(answering(head('__proto__: a', 'constructor: b', 'Content-Length: 0')));
    const { headers } = await call();
    expect(Object.getPrototypeOf(headers)).toBeNull();
    expect(Object.entries(headers)).toContainEqual(['constructor', 'b']);
  });
});

describe('a kept connection that the server closes on the next request', () => {
  /** Answers the first request of every connection and closes upon the second, read but not answered. */
  async function oneAnswerEach() {
    let requests = 0;
    const { call } = await serving((socket) => {
      let here = 0;
      answering(() => {
        requests += 1;
        here += 1;
        if (here === 1) socket.write(`${head('Content-Length: 2')}ok`);
        else socket.destroy();
      })(socket);
    });
    return async (method: 'GET' | 'POST') => {
      await setImmediate();
      return [await outcomeOf(call({ method })), requests];
    };
  }

  it('makes a GET repeat over a new one, and never a POST, which was written', async () => {
    const get = await oneAnswerEach();
    expect([await get('GET'), await get('GET')]).toEqual([
      [200, 1],
      [200, 3],
    ]);
    const post = await oneAnswerEach();
    expect([await post('POST'), await post('POST')]).toEqual([
      [200, 1],
      ['unreachable', 2],
    ]);
  });
});

describe('a host that does not answer', () => {
  it('is unreachable when the port is closed, the lookup fails, or the name has no address', async () => {
    const listener = await listen();
    await listener.close();
    const url = `http://127.0.0.1:${listener.port}`;
    expect(await outcomeOf(connector({ allow: [url] })({ ...named, url }))).toBe('unreachable');
    const failing = () => Promise.reject(Object.assign(new Error('queryA'), { code: 'ENOTFOUND' }));
    for (const lookup of [failing, async () => []])
      expect(await outcomeOf(connector({ lookup })(named))).toBe('unreachable');
  });
});

describe('close', () => {
  it('ends running calls and idle connections, and refuses further calls', async () => {
    const idle = await serving(answering(head('Content-Length: 0')));
    const silent = await serving();
    const { request, close } = createOutbound({ allow: [idle.url, silent.url] });
    await request({ ...named, url: idle.url });
    const waiting = outcomeOf(request({ ...named, url: silent.url, timeoutMs: 10_000 }));
    await waitFor(() => expect(silent.listener.seen.bytesIn).toBeGreaterThan(0));
    await close();
    expect(await waiting).toBe('unreachable');
    await waitFor(() => expect([idle, silent].map(({ listener }) => listener.seen.open)).toEqual([0, 0]));
    expect(await outcomeOf(request({ ...named, url: idle.url }))).toBe('unreachable');
    await close();
  });
});

it('a short answer fits its cap although compression has made it longer', async () => {
  expect((await callTo(answering(withLength('gzip', gzipSync('hello'))), { maxBytes: 5 })).outcome).toBe(200);
});
