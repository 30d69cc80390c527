import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import {
  answering,
  endless,
  expectCutOff,
  head,
  maxBytes,
  outboundCalls,
  withLength,
} from '../../fixtures/outbound/calls.js';

const { callTo, serving } = outboundCalls();

describe('an answer that is too large', () => {
  const megabyte = Buffer.alloc(1_048_576, 'a');
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
  const chunked = head('Transfer-Encoding: chunked');
  const trailed = head('Transfer-Encoding: chunked', 'Trailer: X-A').concat('0\r\n');

  it.each<[what: string, behaviour: (socket: Socket) => void]>([
    ['ends with the connection', endless(head('Connection: close'), megabyte)],
    ['announces a gigabyte', endless(head('Content-Length: 1073741824'), megabyte)],
    ['comes in endless chunks', endless(chunked, chunk)],
    ['comes in endless chunks of one byte', endless(chunked, '1\r\na\r\n'.repeat(10_000))],
  ])('is cut off soon after the cap when it %s', async (_what, behaviour) => {
    const { outcome, listener, elapsedMs } = await callTo(behaviour, { timeoutMs: 5_000 });
    expect(outcome).toBe('too_large');
    expect(elapsedMs).toBeLessThan(4_000);
    await expectCutOff(listener);
    // The bound is what the kernel's socket buffers and one write of the listener hold, not what it meant to send.
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

  const nothing = Buffer.concat(Array(1_000).fill(gzipSync('')));
  it.each<[what: string, behaviour: (socket: Socket) => void, failures?: string[]]>([
    ['an endless body of nothing', endless(head('Content-Encoding: gzip', 'Connection: close'), nothing), []],
    ['one endless header', endless('HTTP/1.1 200 OK\r\nX-A: ', 'a'.repeat(10_000))],
    ['endless headers', endless('HTTP/1.1 200 OK\r\n', `X-A: ${'a'.repeat(24)}\r\n`.repeat(100))],
    ['endless trailers', endless(trailed, `X-A: ${'a'.repeat(15)}\r\n`.repeat(100))],
  ])('is cut off when it has %s', async (_what, behaviour, failures = ['bad_response']) => {
    const { outcome } = await callTo(behaviour, { timeoutMs: 5_000 });
    expect(['too_large', ...failures]).toContain(outcome);
  });

  it.each(['gzip', 'identity'])('may be exactly as large as the cap in %s', async (coding) => {
    for (const [size, outcome] of [
      [maxBytes, 200],
      [maxBytes + 1, 'too_large'],
    ] as const) {
      const body = Buffer.alloc(size, 'a');
      const sent = withLength(coding, coding === 'gzip' ? gzipSync(body) : body);
      expect((await callTo(answering(sent))).outcome).toBe(outcome);
    }
  });
});

describe('a caller who asks for the beginning only', () => {
  const letters = 'abcdefgh'.repeat(1_000);

  it.each<[what: string, behaviour: (socket: Socket) => void, text: string, truncated: boolean]>([
    ['an endless', endless(head('Connection: close'), letters), letters.slice(0, 20), true],
    [
      'a compressed',
      answering(withLength('gzip', gzipSync(letters.repeat(1_000)))),
      letters.slice(0, 20),
      true,
    ],
    ['a short', answering(withLength('identity', Buffer.from('short'))), 'short', false],
  ])('gets the first maxBytes of %s body', async (what, behaviour, text, truncated) => {
    const { listener, call } = await serving(behaviour);
    const answer = await call({ timeoutMs: 5_000, maxBytes: 20, partial: true });
    expect(answer).toMatchObject({ status: 200, truncated });
    expect(answer.body.toString()).toBe(text);
    if (what === 'an endless') await expectCutOff(listener);
  });
});
