import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exampleBody } from '../../../scripts/openapi/answers.js';
import { startTestApp, type TestApp, testAdminKey } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const headersTimeoutMs = 5_000;
const requestTimeoutMs = 10_000;
/** Node checks its connections once per second, and this machine may be busy. */
const slackMs = 4_000;

const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

interface Closed {
  answer: string;
  afterMs: number;
}

/** Sends `first`, then `drop` every 200 ms for as long as the connection is open. */
function drip(first: string, drop: string): Promise<Closed> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let answer = '';
    let open = true;
    const socket = connect(app.port, '127.0.0.1', async () => {
      socket.write(first);
      while (open) {
        await delay(200);
        if (open) socket.write(drop);
      }
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    // Writing after the end causes a reset; only the end matters here.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open = false;
      resolve({ answer, afterMs: performance.now() - startedAt });
    });
  });
}

function expectTimedOut({ answer, afterMs }: Closed, limitMs: number): void {
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
  expect(answer).toMatch(/\r\nConnection: close\r\n/);
  const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as unknown;
  expect(body).toEqual(exampleBody('REQUEST_TIMEOUT'));
  expect(afterMs).toBeGreaterThan(limitMs - 200);
  expect(afterMs).toBeLessThan(limitMs + slackMs);
}

const post = `POST /api/admin/cache/invalidate HTTP/1.1\r\nHost: x\r\nX-Admin-Key: ${testAdminKey}\r\nContent-Type: application/json\r\n`;

describe('a client that sends its request byte by byte', () => {
  it('has 5 s for the headers, is answered 408, and is cut off', async () => {
    expectTimedOut(await drip('GET /api/corridors HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a'), headersTimeoutMs);
  }, 20_000);

  it('has 5 s for the headers also if it keeps sending complete ones', async () => {
    expectTimedOut(await drip('GET /api/corridors HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'), headersTimeoutMs);
  }, 20_000);

  it('has 10 s for the whole request, is answered 408, and is cut off', async () => {
    expectTimedOut(await drip(`${post}Content-Length: 1000\r\n\r\n{`, ' '), requestTimeoutMs);
  }, 20_000);

  it('has 10 s for a chunked body, too', async () => {
    expectTimedOut(await drip(`${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'), requestTimeoutMs);
  }, 20_000);

  it('does not delay other clients', async () => {
    const slow = Array.from({ length: 200 }, () =>
      drip('GET /api/corridors HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'),
    );
    await delay(1_000);
    const answer = await app.client.request('GET', '/api/corridors', {
      headers: { 'x-forwarded-for': '198.51.100.9' },
    });
    expect(answer.status).toBe(200);
    for (const closed of await Promise.all(slow)) expect(closed.answer).toMatch(/^HTTP\/1\.1 408 /);
  }, 30_000);
});
