import { afterAll, describe, expect, it } from '@jest/globals';
import { type Collector, startCollector } from '../../fixtures/tracing/collector.js';
import { startTestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const started: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of started.reverse()) await each.close();
});
let clients = 0;

/** Starts the app with that collector, and collects its warnings. */
async function startWith(url: string) {
  const warnings: string[] = [];
  const ignore = () => undefined;
  const warn = (_fields: object, message: string) => void warnings.push(message);
  const logger = { debug: ignore, info: ignore, warn, error: warn, child: () => logger };
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '1000' };
  const app = await startTestApp({ uri: database.uri, env, world: { logger } });
  started.push(app);
  clients += 1;
  const headers = { 'x-forwarded-for': `203.0.113.${clients}` };
  return {
    app,
    ask: async (path: string) => (await fetch(app.url + path, { headers })).status,
    warnings: () => warnings.filter((message) => message.includes('collector')),
  };
}

async function startKept(respond?: Parameters<typeof startCollector>[0]): Promise<Collector> {
  const collector = await startCollector(respond);
  started.push({ close: collector.stop });
  return collector;
}

describe('a collector that takes requests and never answers', () => {
  it('costs its spans and nothing else: requests are answered, it is said once, and the stop does not wait', async () => {
    const collector = await startKept(() => undefined);
    const { app, ask, warnings } = await startWith(collector.url);
    for (let asked = 0; asked < 3; asked += 1) {
      const before = collector.requests.length;
      expect(await ask('/api/corridors')).toBe(200);
      await waitFor(() => expect(collector.requests.length).toBeGreaterThan(before));
    }
    await waitFor(() => expect(warnings()).toHaveLength(1));
    await ask('/api/corridors');
    const stoppedFrom = performance.now();
    await app.close();
    // The flush is limited to one and a half seconds; the rest is a margin for a busy machine.
    expect(performance.now() - stoppedFrom).toBeLessThan(8_000);
    expect(warnings()).toEqual(['the collector takes no spans; they are dropped until it does']);
  });
});

describe('a collector that is not there', () => {
  it('costs its spans and nothing else, and is said once', async () => {
    const gone = await startCollector();
    await gone.stop();
    const { app, ask, warnings } = await startWith(gone.url);
    expect(await ask('/api/corridors')).toBe(200);
    await waitFor(() => expect(warnings()).toHaveLength(1));
    await app.close();
    expect(warnings()).toHaveLength(1);
  });
});

describe('the stop of a service', () => {
  it('sends the spans that are still there, those of the stop included', async () => {
    const collector = await startKept();
    const { app, ask } = await startWith(collector.url);
    expect(await ask('/api/anchors/harbour')).toBe(200);
    await app.close();
    expect(collector.spans.map(({ name }) => name)).toContain('GET /api/anchors/:anchor');
  });
});
