import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { type OpenStream, openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());

const open = (client: string) =>
  openStream(app.url, '/api/rates/usdc-ngn/stream', { headers: { 'x-forwarded-for': client } });

it('a newcomer is served while any client holds two more streams than it, though 25 addresses hold all 500', async () => {
  const held: OpenStream<unknown>[] = [];
  for (let n = 0; n < 25; n += 1)
    held.push(...(await Promise.all(Array.from({ length: 20 }, () => open(`203.0.113.${n}`)))));
  expect(held.map(({ status }) => status)).toEqual(Array(500).fill(200));
  const ended = { count: 0 };
  for (const stream of held) stream.ended.then(() => (ended.count += 1));

  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const stream = await open('198.51.100.1');
    held.push(stream);
    statuses.push(stream.status);
  }
  // With nineteen streams it holds one less than those who hold most.
  expect(statuses).toEqual([...Array(19).fill(200), 503]);
  expect(held.at(-1)?.headers['retry-after']).toBe('10');
  await waitFor(() => expect(ended.count).toBe(19));
  const { body } = await app.client.request<string>('GET', '/metrics');
  expect(body).toContain('fairlead_streams 500');
  expect(body).toContain('fairlead_streams_refused_total{reason="displaced"} 19');

  for (const stream of held) stream.close();
  await waitFor(async () => {
    const metrics = await app.client.request<string>('GET', '/metrics');
    expect(metrics.body).toContain('fairlead_streams 0');
  });
}, 60_000);
