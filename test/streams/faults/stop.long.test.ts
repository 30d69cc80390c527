import { expect, it } from '@jest/globals';
import { neverReading } from '../../fixtures/edge/stubborn-client.js';
import { startTestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const path = '/api/rates/usdc-ngn/stream';

it('a stop ends every stream in order, a reader that does not read included; before it, a stream beyond the bound is 503', async () => {
  const app = await startTestApp({ uri: database.uri, env: { TRUST_PROXY: '', MAX_STREAMS: '42' } });
  const readers = [];
  for (let n = 0; n < 40; n += 1)
    readers.push(await openStream(app.url, path, { localAddress: `127.0.3.${1 + (n >> 2)}` }));
  const text = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const stubborn = await neverReading({ port: app.port, from: '127.0.4.1', count: 2, text });
  const gauge = async () => (await app.client.request<string>('GET', '/metrics')).body;
  await waitFor(async () => expect(await gauge()).toContain('fairlead_streams{stream="rates"} 42'));
  const refused = await openStream(app.url, path, { localAddress: '127.0.5.1' });
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    503,
    'NOT_READY',
    '10',
  ]);
  await waitFor(async () =>
    expect(await gauge()).toContain('fairlead_streams_refused_total{reason="all_full"} 1'),
  );
  await Promise.all(readers.map((each) => each.received(1)));

  await app.close();
  expect(await Promise.all(readers.map(({ ended }) => ended))).toEqual(Array(40).fill(true));
  for (const { text: received } of readers) expect(received().endsWith('\n\n')).toBe(true);
  stubborn.end();
});
