import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { cannotRun } from '../../support/cannot-run.js';
import { testDatabase } from '../../support/database.js';
import { runProgram } from '../../support/run-program.js';

const script = fileURLToPath(new URL('rates_and_intent.py', import.meta.url));
const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

describe('a client in Python, from the documents and the standard library alone', () => {
  it('reads rates and errors, and registers an intent whose hash it has computed itself', async () => {
    const ended = await runProgram('python3', ['-B', script, app.url]).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return undefined;
      },
    );
    if (ended === undefined) {
      cannotRun('no python3: a Python client of the running service');
      return;
    }
    expect(ended.stderr).toBe('');
    const { terms, hashes, ...seen } = JSON.parse(ended.stdout);
    expect(seen).toEqual({
      statuses: [200, 404, 400, 201, 200],
      codes: ['UNKNOWN_CORRIDOR', 'INVALID_REQUEST'],
      refused: 'body.expiresAt',
      best: expect.any(String),
      remaining: 89,
    });
    expect(hashes).toEqual(Array(3).fill(intentHash(terms)));
  });
});
