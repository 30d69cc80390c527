import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { itWhere, python3 } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';

const script = fileURLToPath(new URL('rates_and_intent.py', import.meta.url));
const database = testDatabase();
let app: TestApp;
const itInPython = itWhere(python3, 'no python3: a Python client of the running service');

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

describe('a client in Python, from the documents and the standard library alone', () => {
  itInPython(
    'reads rates and errors, and registers an intent whose hash it has computed itself',
    async () => {
      const ended = await runProgram('python3', ['-B', script, app.url]);
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
    },
  );
});
