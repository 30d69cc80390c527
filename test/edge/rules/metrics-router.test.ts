import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { Gauge, Registry } from 'prom-client';
import { createMetricsRouter } from '../../../server/http/metrics-router.js';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A router whose metrics count how often they were rendered. */
async function startMetrics() {
  let renderings = 0;
  const registry = new Registry();
  new Gauge({
    name: 'renderings',
    help: 'How often the metrics were rendered.',
    registers: [registry],
    collect() {
      renderings += 1;
      this.set(renderings);
    },
  });
  const app = express();
  app.use(createMetricsRouter({ registry, tokens: [] }));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  return {
    scrape: async (headers: Record<string, string> = {}) => {
      const answer = await fetch(url, { headers });
      return { headers: answer.headers, text: await answer.text() };
    },
  };
}

describe('the metrics', () => {
  it('are rendered once for all who ask within a second', async () => {
    const { scrape } = await startMetrics();
    const first = await Promise.all(Array.from({ length: 20 }, () => scrape()));
    for (const { text } of first) expect(text).toMatch(/^renderings 1$/m);
    await delay(1_100);
    expect((await scrape()).text).toMatch(/^renderings 2$/m);
  });

  it('are compressed for those who accept gzip', async () => {
    const { scrape } = await startMetrics();
    const compressed = await scrape({ 'accept-encoding': 'gzip' });
    const plain = await scrape({ 'accept-encoding': 'identity' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.text).toBe(plain.text);
  });
});
