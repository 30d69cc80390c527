import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type LoopbackServer, listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { type PageHost, startPageHost } from '../../fixtures/web/page-host.js';
import { itInBrowser, shown, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { originsOf } from '../../support/watched-page.js';

const service = webService();
const browser = webBrowser();
let host: PageHost;
/** Another site's page, which shows pages of the service in frames. */
let other: LoopbackServer;

beforeAll(async () => {
  host = await startPageHost(service.it.app.url);
  other = await listenOnLoopback((req, res) => {
    const { searchParams } = new URL(req.url ?? '/', 'http://other');
    const [path = '', sandbox] = [searchParams.get('path') ?? '', searchParams.get('sandbox')];
    const attributes = sandbox === null ? '' : `sandbox="${sandbox}"`;
    res.writeHead(200, { 'Content-Type': 'text/html' });
    res.end(`<!doctype html><title>Other</title>
      <iframe src="${service.it.app.url}${path}" ${attributes} width="900" height="700"></iframe>`);
  });
}, 240_000);
afterAll(async () => {
  await other?.stop();
  await host?.stop();
});

describe('the page on another host than its service', () => {
  itInBrowser(
    'shows rates, anchors, an off-ramp and proofs of that service, and asks nobody else',
    async () => {
      const { url, connection } = service.it.app;
      const settled = await connection.collection<{ _id: string }>('intents').findOne({ status: 'settled' });
      const reader = await browser.reader();
      const { page, complaints } = reader;
      for (const path of [
        '/rates/usdc-ngn?amount=250',
        '/anchors',
        '/anchors/harbour',
        `/offramp/${settled?._id}`,
        '/proof',
      ]) {
        await page.goto(`${host.origin}${path}`);
        await shown(page);
        expect({ path, complaints }).toEqual({ path, complaints: [] });
      }
      await page.goto(`${host.origin}/rates/usdc-ngn`);
      await page.locator('main table tbody tr').first().waitFor();
      expect(originsOf(reader).sort()).toEqual([host.origin, new URL(url).origin].sort());
      await reader.context.close();
    },
    120_000,
  );

  itInBrowser('reads every header that it counts on, and may resume a stream', async () => {
    const { page, context } = await browser.reader();
    await page.goto(`${host.origin}/anchors`);
    await shown(page);
    const read = await page.evaluate(async (service) => {
      const { headers } = await fetch(`${service}/api/corridors`);
      return Object.fromEntries(
        [
          'x-ratelimit-limit',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
          'x-request-id',
          'cache-control',
          'date',
          'etag',
        ].map((name) => [name, headers.has(name)]),
      );
    }, service.it.app.url);
    expect(Object.entries(read).filter(([, isRead]) => !isRead)).toEqual([]);
    const streamed = await page.evaluate(async (service) => {
      const stop = new AbortController();
      const answer = await fetch(`${service}/api/rates/usdc-ngn/stream`, { signal: stop.signal });
      stop.abort();
      return [answer.status, answer.headers.get('content-type')];
    }, service.it.app.url);
    expect(streamed).toEqual([200, expect.stringContaining('text/event-stream')]);
    await context.close();
  });

  itInBrowser('leads to the documentation of the service, and not to the desk of its operator', async () => {
    const { page, context } = await browser.reader();
    await page.goto(`${host.origin}/anchors`);
    await shown(page);
    const api = page.getByRole('navigation').getByRole('link', { name: 'API' });
    expect(await api.getAttribute('href')).toBe(`${service.it.app.url}/docs`);
    expect(await page.locator('a[href="/desk"]').count()).toBe(0);
    await context.close();
  });
});

describe('a frame in a page of another origin', () => {
  async function framed(page: Page, path: string, sandbox?: string) {
    const query = new URLSearchParams({ path, ...(sandbox === undefined ? {} : { sandbox }) });
    await page.goto(`${other.origin}/?${query}`);
    return page.frameLocator('iframe');
  }

  itInBrowser.each([undefined, 'allow-scripts', 'allow-scripts allow-same-origin'])(
    'shows the board of a corridor, with the sandbox %s',
    async (sandbox) => {
      const { page, context, complaints } = await browser.reader();
      const frame = await framed(page, '/embed/usdc-ngn', sandbox);
      await frame.locator('main table tbody tr').first().waitFor({ timeout: 20_000 });
      expect(await frame.locator('h1').textContent()).toContain('USDC');
      expect(complaints).toEqual([]);
      await context.close();
    },
    60_000,
  );

  itInBrowser.each(['/', '/rates/usdc-ngn', '/dispute', '/desk', '/docs', '/embed/', '/embed/a/b'])(
    'does not show %s',
    async (path) => {
      const { page, context } = await browser.reader();
      await framed(page, path);
      const [, frame] = page.frames();
      expect(frame?.url()).toBe('chrome-error://chromewebdata/');
      await context.close();
    },
  );
});
