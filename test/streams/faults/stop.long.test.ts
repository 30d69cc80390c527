import { expect, it } from '@jest/globals';
import { neverReading } from '../../fixtures/edge/stubborn-client.js';
import { startTestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const path = '/api/rates/usdc-ngn/stream';

it('a stop ends every stream after a whole event, also where a reader does not read', async () => {
  const app = await startTestApp({ uri: database.uri, env: { TRUST_PROXY: '' } });
  const readers = [];
  for (let n = 0; n < 40; n += 1)
    readers.push(await openStream(app.url, path, { localAddress: `127.0.3.${1 + (n >> 2)}` }));
  const text = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const stubborn = await neverReading({ port: app.port, from: '127.0.4.1', count: 2, text });
  const gauge = async () => (await app.client.request<string>('GET', '/metrics')).body;
  await waitFor(async () => expect(await gauge()).toContain('fairlead_streams 42'));
  await Promise.all(readers.map((each) => each.received(1)));

  const startedAt = performance.now();
  await app.close();
  // Nothing waits for the ten seconds that requests in hand are given.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(await Promise.all(readers.map(({ ended }) => ended))).toEqual(Array(40).fill(true));
  for (const { text: received } of readers) expect(received().endsWith('\n\n')).toBe(true);
  stubborn.end();
});
