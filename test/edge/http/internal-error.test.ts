import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const logged: { fields: object; message: string }[] = [];
let app: TestApp;

beforeAll(async () => {
  const logger = {
    ...silentLogger,
    error: (fields: object, message: string) => logged.push({ fields, message }),
  };
  app = await startTestApp({ uri: database.uri, world: { logger } });
});
afterAll(() => app.close());

it('answers an unknown error with a 500 that reveals only its request id, and logs it once with that id', async () => {
  const intentHash = 'a'.repeat(64);
  // No code of this service writes such a document.
  const intents = app.connection.collection<{ _id: string; version: number }>('intents');
  await intents.insertOne({ _id: intentHash, version: 0 });
  const answer = await app.client.request('GET', `/api/intent/${intentHash}`, {
    headers: { 'x-request-id': 'of-this-very-request' },
  });
  expect([answer.status, answer.body]).toEqual([
    500,
    { code: 'INTERNAL', message: 'The service failed; quote the X-Request-Id when reporting it.' },
  ]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(logged).toEqual([
    { fields: expect.objectContaining({ requestId: 'of-this-very-request' }), message: 'request failed' },
  ]);
});
