import { connect } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { Received } from '../../helpers/answers.js';
import { startTestApp, type TestApp, testAdminKey } from '../../helpers/app.js';
import { testDatabase } from '../../helpers/database.js';
import { silentLogger } from '../../helpers/silent-logger.js';

/** An operation that needs a credential and takes a body, or none. */
export const invalidate = '/api/admin/cache/invalidate';
export const admin = { 'x-admin-key': testAdminKey };
export const json = { ...admin, 'content-type': 'application/json' };

export interface EdgeHarness {
  readonly app: TestApp;
  /** The database of the file, for another instance. */
  readonly uri: string;
  /** What the log called a person for. */
  readonly errors: readonly string[];
  /** Every request is a client of its own, so that no limit interferes. */
  send(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string },
  ): Promise<Received>;
  /** What only a raw socket can send. Resolves with all that came back. */
  raw(text: string | Buffer): Promise<string>;
}

/** Call it once at the top of a file. */
export function edgeHarness(): EdgeHarness {
  const { uri } = testDatabase();
  const errors: string[] = [];
  let app: TestApp;
  let clients = 0;

  beforeAll(async () => {
    const logger = { ...silentLogger, error: (_fields: object, message: string) => errors.push(message) };
    app = await startTestApp({ uri, world: { logger } });
  });
  afterAll(() => app.close());

  return {
    get app() {
      return app;
    },
    uri,
    errors,
    send(method, path, options = {}) {
      clients += 1;
      const address = `198.18.${clients >> 8}.${clients & 255}`;
      return app.client.request(method, path, {
        ...options,
        headers: { 'x-forwarded-for': address, ...options.headers },
      });
    },
    raw: (text) =>
      new Promise((resolve, reject) => {
        const socket = connect(app.port, '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket.on('data', (chunk) => {
          answer += chunk.toString('utf8');
          if (/\r\n\r\n[\s\S]*}\s*$/.test(answer)) socket.end();
        });
        socket.on('close', () => resolve(answer));
        socket.on('error', reject);
      }),
  };
}
