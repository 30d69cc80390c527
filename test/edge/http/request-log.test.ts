import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../server/logger.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let text = '';
let app: TestApp;

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  app = await startTestApp({
    uri: database.uri,
    world: { logger: createLogger({ level: 'debug', destination }) },
  });
});
afterAll(() => app.close());

/** Sends bytes, and the lines that were logged of requests meanwhile. */
async function loggedOf(bytes: string, count = 1): Promise<Record<string, unknown>[]> {
  const before = text.length;
  await new Promise<void>((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(bytes));
    socket.resume();
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
  return waitFor(() => {
    const lines = text
      .slice(before)
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'));
    expect(lines).toHaveLength(count);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  });
}

const get = (target: string, headers = '') =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;

describe('the line that is logged of a request', () => {
  it('has the method, path, status and request id, and nothing else of the request', async () => {
    const [line] = await loggedOf(
      get('/api/corridors?limit=3', 'X-Request-Id: of-the-log-test\r\nCookie: c=1\r\n'),
    );
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

  it('has at most 200 characters of a path', async () => {
    const [line] = await loggedOf(get(`/${'p'.repeat(1_900)}`));
    expect(line).toMatchObject({ status: 404, path: `/${'p'.repeat(199)}` });
  });

  it('has at most 200 characters of a path that is too long to be served', async () => {
    const [line] = await loggedOf(get(`/${'p'.repeat(7_000)}`));
    expect(line).toMatchObject({ status: 414, path: `/${'p'.repeat(199)}` });
  });

  it('is a single line, whatever characters the path has', async () => {
    const [line] = await loggedOf(get('/x%0a{"level":"error"}%0d%0a"quoted"\\u000a'));
    expect(line?.path).toBe('/x%0a{"level":"error"}%0d%0a"quoted"\\u000a');
    expect(line?.level).toBe('info');
    expect(text).not.toMatch(/\n\{"level":"error"\}/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none of them gets through is what is tested
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/);
  });

  it('reports a client that disconnected before its answer', async () => {
    const before = text.length;
    app.simulated.anchor('harbour').override('*', () => undefined);
    const socket = connect(app.port, '127.0.0.1', () => socket.write(get('/api/rates/usdc-ngn?amount=77')));
    await waitFor(
      () => expect(app.simulated.anchor('harbour').seen.some(({ url }) => url.includes('77'))).toBe(true),
      {
        timeout: 10_000,
      },
    );
    socket.destroy();
    await waitFor(() => expect(text.slice(before)).toMatch(/"status":null,"aborted":true.*"msg":"request"/));
    app.simulated.anchor('harbour').override('*', null);
  });
});
