import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createOutbound } from '../../../server/outbound/outbound.js';
import {
  endless,
  expectCutOff,
  head,
  maxBytes,
  outboundCalls,
  withLength,
} from '../../fixtures/outbound/calls.js';
import { answering, listen } from '../../fixtures/outbound/listener.js';

const { callTo, closers } = outboundCalls();

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
    ['an endless', endless(head('Connection: close'), 'abcdefgh'.repeat(1_000)), 'abcdefghabcdefghabcd'],
    [
      'a compressed',
      answering(withLength('gzip', gzipSync('abcdefgh'.repeat(1_000_000)))),
      'abcdefghabcdefghabcd',
    ],
    ['a short', answering(withLength('identity', Buffer.from('short'))), 'short'],
  ])('gets the first maxBytes of %s body', async (what, behaviour, text) => {
    const listener = await listen(behaviour);
    const url = `http://127.0.0.1:${listener.port}`;
    const { request, close } = createOutbound({ allow: [url] });
    closers.push(close, listener.close);
    const answer = await request({ url, timeoutMs: 5_000, maxBytes: 20, onOverflow: 'truncate' });
    expect(answer).toMatchObject({ status: 200, truncated: what !== 'a short' });
    expect(answer.body.toString()).toBe(text);
    if (what === 'an endless') await expectCutOff(listener);
  });
});
