import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../server/logger.js';
import { testApp } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

let text = '';
const destination = new Writable({
  write(chunk: Buffer, _encoding, done) {
    text += chunk.toString();
    done();
  },
});
const app = await testApp({ world: { logger: createLogger({ level: 'debug', destination }) } });

function send(bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(bytes));
    socket.resume();
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
}

function linesSince(before: number): Record<string, unknown>[] {
  const lines = text.slice(before).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Sends bytes until their request is logged, since refusals are sampled, and resolves to the line. */
async function loggedOf(bytes: string): Promise<Record<string, unknown>> {
  return waitFor(
    async () => {
      const before = text.length;
      await send(bytes);
      return waitFor(
        () => {
          const [line] = linesSince(before).filter(({ msg }) => msg === 'request');
          if (line === undefined) throw new Error('the request was not logged');
          return line;
        },
        { timeout: 300 },
      );
    },
    { interval: 200 },
  );
}

const get = (target: string, headers = '') =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;

describe('the line that is logged of a request', () => {
  it('has the method, path, status and request id, and nothing else of the request', async () => {
    const headers = 'X-Request-Id: of-the-log-test\r\nCookie: c=1\r\n';
    const line = await loggedOf(get('/api/corridors?limit=3', headers));
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      requestId: 'of-the-log-test',
      method: 'GET',
      path: '/api/corridors',
      status: 200,
      aborted: false,
      durationMs: expect.any(Number),
      msg: 'request',
    });
  });

  it('has at most 200 characters of a path, whatever its answer', async () => {
    const path = `/${'p'.repeat(199)}`;
    for (const [status, length] of [[404, 1_900] as const, [414, 7_000] as const])
      expect(await loggedOf(get(`/${'p'.repeat(length)}`))).toMatchObject({ status, path });
  });

  it('is a single line, whatever characters the path has', async () => {
    const line = await loggedOf(get('/x%0a{"level":"error"}%0d%0a"quoted"\\u000a'));
    expect(line.path).toBe('/x%0a{"level":"error"}%0d%0a"quoted"\\u000a');
    expect(line.level).toBe('info');
    expect(text).not.toMatch(/\n\{"level":"error"\}/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none of them gets through is what is tested
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/);
  });

  it('reports a client that disconnected before its answer', async () => {
    const isAsked = (amount: string) =>
      expect(app.simulated.anchor('harbour').seen.some(({ url }) => url.includes(amount))).toBe(true);
    // The amount has to be known before the anchor stops answering.
    await waitFor(
      async () => {
        await send(get('/api/rates/usdc-ngn?amount=76'));
        isAsked('76');
      },
      { interval: 500 },
    );
    const before = text.length;
    app.simulated.anchor('harbour').override('*', () => undefined);
    const socket = connect(app.port, '127.0.0.1', () => socket.write(get('/api/rates/usdc-ngn?amount=77')));
    await waitFor(() => isAsked('77'));
    socket.destroy();
    await waitFor(() => expect(text.slice(before)).toMatch(/"status":null,"aborted":true.*"msg":"request"/));
    app.simulated.anchor('harbour').override('*', null);
  });
});

/** How many requests of a route were counted instead of logged. */
function leftOutOf(lines: Record<string, unknown>[], route: string): number {
  const counts = lines.flatMap(({ leftOut = [] }) => leftOut as { route: string; requests: number }[]);
  return counts.filter((each) => each.route === route).reduce((sum, { requests }) => sum + requests, 0);
}

it('requests that anybody can repeat are logged once per route and status in a second, and the others counted', async () => {
  const refused = Array.from({ length: 60 }, (_, n) => get(`/nowhere/${n}`));
  await loggedOf(get('/nowhere/first'));
  const before = text.length;
  const startedAt = performance.now();
  await Promise.all([...refused, ...refused.map(() => get('/healthz'))].map(send));
  await waitFor(() => {
    const lines = linesSince(before);
    // Each request is either logged or counted; the request before them belongs to the first second.
    for (const [route, path] of [
      ['unmatched', '/nowhere'],
      ['/healthz', '/healthz'],
    ] as const) {
      const shown = lines.filter((line) => line.msg === 'request' && String(line.path).startsWith(path));
      expect(leftOutOf(lines, route) + shown.length).toBe(60);
      // Some of the unmatched requests get 404, and the others 429.
      expect(shown.length).toBeLessThanOrEqual(2 * (2 + (performance.now() - startedAt) / 1_000));
    }
  });
});

it('requests of a route with a limit are logged each, or counted where the answer came from the cache', async () => {
  const before = text.length;
  await Promise.all(Array.from({ length: 30 }, () => send(get('/api/corridors'))));
  await waitFor(() => {
    const lines = linesSince(before);
    const logged = lines.filter(({ path }) => path === '/api/corridors').length;
    expect(logged).toBeGreaterThan(0);
    expect(logged + leftOutOf(lines, '/api/corridors')).toBe(30);
  });
});

it('requests are logged each where the service failed', async () => {
  const before = text.length;
  // No code of this service writes such a document, so reading it fails with 500.
  const path = `/api/intent/${'ab'.repeat(32)}`;
  const intents = app.connection.collection<{ _id: string; version: number }>('intents');
  await intents.insertOne({ _id: 'ab'.repeat(32), version: 0 });
  await Promise.all(Array.from({ length: 5 }, () => send(get(path))));
  await waitFor(() => {
    const logged = linesSince(before).filter((line) => line.path === path && line.status === 500);
    expect(logged).toHaveLength(5);
  });
});
