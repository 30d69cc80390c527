import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDocsRouter } from '../../../server/http/docs.js';
import { sendJson } from '../../../server/http/send-json.js';
import { document } from '../../support/answers/document.js';
import { expectFor } from '../../support/expect-for.js';

const app = express();
app.disable('etag');
app.use(sendJson, createDocsRouter({ document }));
const server = createServer(app);
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('/openapi.json', () => {
  it('is the committed document with the answering origin as its only server', async () => {
    const answer = await fetch(`${url}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      ...document,
      servers: [{ url: '/', description: 'This service.' }],
    });
  });

  it('may be kept for a while and asked for again by its ETag', async () => {
    const first = await fetch(`${url}/openapi.json`);
    const tag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const again = await fetch(`${url}/openapi.json`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
  });
});

describe('/docs', () => {
  it.each(['/docs', '/docs/', '/docs?url=https://other.example/'])('%s is the same page', async (path) => {
    const [page, plain] = await Promise.all([fetch(`${url}${path}`), fetch(`${url}/docs`)]);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toBe(await plain.text());
  });

  it('allows nothing but files of its own origin, and no frame around it', async () => {
    const { headers } = await fetch(`${url}/docs`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has no inline script or style, and every file it names is served for good', async () => {
    const html = await (await fetch(`${url}/docs`)).text();
    expect(html).not.toMatch(/<script>|<style|style=|\bon\w+=/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
    expect(files).toHaveLength(4);
    for (const file of files) {
      const answer = await fetch(`${url}${file}`);
      expectFor(String(file), answer.status).toBe(200);
      expectFor(String(file), answer.headers.get('cache-control')).toBe(
        'public, max-age=31536000, immutable',
      );
      expectFor(String(file), (await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });

  it('compresses its files where the client takes gzip, and only there', async () => {
    const html = await (await fetch(`${url}/docs`)).text();
    const bundle = /src="([^"]+bundle\.js)"/.exec(html)?.[1] ?? '';
    const gzip = await fetch(`${url}${bundle}`, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await fetch(`${url}${bundle}`, { headers: { 'accept-encoding': 'identity' } });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await gzip.text()).toBe(await plain.text());
  });

  it.each(['/docs/assets', '/docs/package.json', '/docs/assets/..%2f..%2fpackage.json'])(
    '%s is not served',
    async (path) => {
      expect((await fetch(`${url}${path}`)).status).toBe(404);
    },
  );
});
