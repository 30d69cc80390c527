import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDocsRouter, readDocuments } from '../../../server/http/docs.js';
import { sendJson } from '../../../server/http/send-json.js';
import { document } from '../../support/answers/document.js';
import { expectFor } from '../../support/expect-for.js';

const app = express();
app.disable('etag');
app.use(sendJson({ keep: () => undefined }), createDocsRouter({ readDocuments }));
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

  it.each(['/openapi.json', '/openapi.client.json'])(
    '%s may be read by pages of any origin',
    async (path) => {
      const { status, headers } = await fetch(`${url}${path}`, {
        headers: { origin: 'https://tool.example' },
      });
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    },
  );

  it('has a form without webhooks for generators of clients, with the same operations', async () => {
    const client = (await (await fetch(`${url}/openapi.client.json`)).json()) as typeof document;
    expect(client).not.toHaveProperty('webhooks');
    expect(client.paths).toEqual(document.paths);
    expect(client.tags.map(({ name }) => name)).not.toContain('events');
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

  it('allows files of its own origin and its own inline styles by their hashes, and no frame around it', async () => {
    const answer = await fetch(`${url}/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const styles = [...(await answer.text()).matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      `style-src 'self' ${styles.join(' ')}`,
    ]);
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has no inline script and no style attribute, and every file it names may be cached for a year', async () => {
    const html = await (await fetch(`${url}/docs`)).text();
    expect(html).not.toMatch(/<script>|\sstyle=|\bon\w+=/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
    expect(files.map((file) => file?.split('/').at(-1)).sort()).toEqual([
      'favicon-16x16.png',
      'favicon-32x32.png',
      'swagger-ui-bundle.js',
      'swagger-ui-init.js',
      'swagger-ui-standalone-preset.js',
      'swagger-ui.css',
    ]);
    for (const file of files) {
      const answer = await fetch(`${url}${file}`);
      expectFor(String(file), answer.status).toBe(200);
      expectFor(String(file), answer.headers.get('cache-control')).toBe(
        'public, max-age=31536000, immutable',
      );
      expectFor(String(file), (await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });

  it('serves nothing else out of the folder of those files', async () => {
    const html = await (await fetch(`${url}/docs`)).text();
    const folder = /href="([^"]+)\/swagger-ui\.css"/.exec(html)?.[1];
    for (const file of ['package.json', 'README.md', 'swagger-ui-bundle.js.map', 'index.html', ''])
      expectFor(file, (await fetch(`${url}${folder}/${file}`)).status).toBe(404);
  });

  it('compresses its files for clients that accept gzip, and for no others', async () => {
    const html = await (await fetch(`${url}/docs`)).text();
    const bundle = /src="([^"]+bundle\.js)"/.exec(html)?.[1] ?? '';
    const gzip = await fetch(`${url}${bundle}`, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await fetch(`${url}${bundle}`, { headers: { 'accept-encoding': 'identity' } });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    for (const { headers } of [gzip, plain])
      expect(headers.get('content-type')).toMatch(/javascript; charset=/);
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
