import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type BenchReader, openReader } from '../../../scripts/bench/streams/reader.js';
import { startTestApp, type TestApp, testAdminKey } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let app: TestApp;
const count = 600;
const changes = 8;

beforeAll(async () => {
  const env = { TRUST_PROXY: '', MAX_CONNECTIONS: '1000', MAX_STREAMS: '600' };
  app = await startTestApp({ uri: database.uri, env });
});
afterAll(() => app.close());

it(`${count} readers of 30 clients get each of ${changes} changes, in the same order, and the anchors are asked once for all`, async () => {
  const readers: BenchReader[] = [];
  const path = '/api/rates/usdc-ngn/stream?amount=321';
  const asked = async () => {
    const { body } = await app.client.request<string>('GET', '/metrics');
    const counts = [...body.matchAll(/^fairlead_anchor_quotes_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, quotes]) => sum + Number(quotes), 0);
  };
  for (let n = 0; n < count; n += 1) {
    const localAddress = `127.0.6.${1 + Math.floor(n / 20)}`;
    readers.push(
      await openReader({ host: '127.0.0.1', port: app.port, path, localAddress, onAnswer: () => {} }),
    );
  }
  const last = () => new Set(readers.map(({ ids }) => ids.at(-1)));
  await waitFor(() => expect(last().size).toBe(1));
  for (const reader of readers) reader.ids.length = 0;
  const before = await asked();
  for (let change = 1; change <= changes; change += 1) {
    await app.client.request('POST', '/api/admin/cache/invalidate', {
      headers: { 'x-admin-key': testAdminKey },
      body: { scope: 'rates' },
    });
    await waitFor(() => {
      expect(Math.min(...readers.map(({ ids }) => ids.length))).toBeGreaterThanOrEqual(change);
      expect(last().size).toBe(1);
    });
  }
  expect(new Set(readers.map(({ ids }) => ids.join())).size).toBe(1);
  expect(readers.map(({ fault }) => fault)).toEqual(Array(count).fill(undefined));
  // Some answers may also have been refreshed; the calls are still far fewer than one per reader.
  expect((await asked()) - before).toBeLessThan(count);
  for (const reader of readers) reader.close();
}, 120_000);
