import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { exampleBody } from '../../../scripts/openapi/answers.js';
import { edgeFixture, invalidate } from '../../fixtures/edge/raw-requests.js';
import { testAdminKey } from '../../support/app.js';

const headersTimeoutMs = 5_000;
const requestTimeoutMs = 10_000;
/** Node checks its connections once per second, and this machine may be busy. */
const slackMs = 4_000;

const fixture = await edgeFixture();

/** Sends `first`, then `drop` every 200 ms for as long as the connection is open. */
function drip(first: string, drop: string): Promise<{ answer: string; afterMs: number }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let answer = '';
    const socket = connect(fixture.app.port, '127.0.0.1', async () => {
      for (socket.write(first); !socket.closed; await delay(200)) socket.write(drop);
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    // Writing after the end causes a reset; only the end matters here.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ answer, afterMs: performance.now() - startedAt }));
  });
}

const get = 'GET /api/corridors HTTP/1.1\r\nHost: x\r\n';
const json = 'Content-Type: application/json\r\n';
const post = `POST ${invalidate} HTTP/1.1\r\nHost: x\r\nX-Admin-Key: ${testAdminKey}\r\n${json}`;

describe('a client that sends its request byte by byte', () => {
  it.each([
    ['for the headers', headersTimeoutMs, `${get}X-Slow: `, 'a'],
    ['for the headers, also if it keeps sending complete ones', headersTimeoutMs, get, 'X-A: b\r\n'],
    ['for the whole request', requestTimeoutMs, `${post}Content-Length: 1000\r\n\r\n{`, ' '],
    ['for a chunked body', requestTimeoutMs, `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  ])(
    'has its time %s, is answered 408, and is cut off',
    async (_what, limitMs, first, drop) => {
      const { answer, afterMs } = await drip(first, drop);
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
      expect(answer).toMatch(/\r\nConnection: close\r\n/);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual(exampleBody('REQUEST_TIMEOUT'));
      expect(afterMs).toBeGreaterThan(limitMs - 200);
      expect(afterMs).toBeLessThan(limitMs + slackMs);
    },
    20_000,
  );

  it('does not delay other clients', async () => {
    const slow = Array.from({ length: 200 }, () => drip(get, 'X-A: b\r\n'));
    await delay(1_000);
    expect((await fixture.send('GET', '/api/corridors')).status).toBe(200);
    for (const { answer } of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  }, 30_000);
});
