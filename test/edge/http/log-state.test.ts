import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const state: { fault: string | undefined; dropped: number } = { fault: undefined, dropped: 0 };
let app: TestApp;

beforeAll(async () => {
  const logOutput = {
    fault: () => state.fault,
    droppedLines: () => state.dropped,
    flush: async () => undefined,
  };
  app = await startTestApp({ uri: database.uri, world: { logOutput } });
});
afterAll(() => app.close());

it('an instance whose log cannot be written stays ready and says so', async () => {
  const ready = () => app.client.request('GET', '/readyz');
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready' } });
  state.fault = 'The log cannot be written.';
  expect(await ready()).toMatchObject({
    status: 200,
    body: { status: 'ready', warnings: ['The log cannot be written.'] },
  });
});

it('the log lines that were dropped are a metric', async () => {
  state.dropped = 7;
  const { body } = await app.client.request<string>('GET', '/metrics');
  expect(body).toMatch(/^fairlead_log_lines_dropped_total 7$/m);
});
