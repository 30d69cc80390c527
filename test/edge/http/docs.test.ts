import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDocsRouter } from '../../../server/http/docs.js';
import { readTexts } from '../../../server/http/docs-texts.js';
import { sendJson } from '../../../server/http/send-json.js';
import { document } from '../../support/answers/document.js';
import { expectFor } from '../../support/expect-for.js';

const app = express();
app.disable('etag');
app.use(sendJson({ begin: () => () => undefined }), createDocsRouter({ pageFolder: undefined }));
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

  it('has a form without webhooks, links and streams for generators of clients, with all other operations', async () => {
    const client = (await (await fetch(`${url}/openapi.client.json`)).json()) as typeof document;
    expect(client).not.toHaveProperty('webhooks');
    const streams = Object.keys(document.paths).filter((path) => path.endsWith('/stream'));
    expect(streams.length).toBe(2);
    // Generators cannot represent a body without an end.
    const left = Object.entries(document.paths).filter(([path]) => !streams.includes(path));
    const paths = JSON.stringify(Object.fromEntries(left), (name, value) =>
      name === 'links' ? undefined : value,
    );
    expect(client.paths).toEqual(JSON.parse(paths));
    expect(paths).not.toBe(JSON.stringify(document.paths));
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

describe('/llms.txt', () => {
  const committed = readFileSync(new URL('../../../docs/llms.txt', import.meta.url), 'utf8');

  it('is the committed text, may be kept for a while, and is asked for again by the ETag of its coding', async () => {
    const first = await fetch(`${url}/llms.txt`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await first.text()).toBe(committed);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('vary')).toContain('Accept-Encoding');
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(`${url}/llms.txt`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const plain = { 'accept-encoding': 'identity', 'if-none-match': etag };
    expect((await fetch(`${url}/llms.txt`, { headers: plain })).status).toBe(200);
  });

  it('has the form of llmstxt.org: a title, a summary, details without headings, then lists of links', () => {
    const [title, summary, ...rest] = committed.trimEnd().split('\n\n');
    expect(title).toBe('# Fairlead');
    expect(summary).toMatch(/^> [^\n]+$/);
    const firstSection = rest.findIndex((part) => part.startsWith('#'));
    const sections = rest.slice(firstSection);
    const [headings, lists] = [0, 1].map((parity) => sections.filter((_, index) => index % 2 === parity));
    expect(headings).toEqual(expect.arrayContaining(['## Read without a key', '## Pages', '## Optional']));
    for (const heading of headings ?? []) expect(heading).toMatch(/^## [^\n]+$/);
    for (const line of (lists ?? []).join('\n').split('\n'))
      expect(line).toMatch(/^- \[[^\]]+\]\([^)\s]+\)(: .+)?$/);
  });

  it('names every operation by a pointer into the document, and only pages that are served', async () => {
    const links = [...committed.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) => link);
    const operationIds = links
      .filter((link) => link.startsWith('/openapi.json#'))
      .map((link) => {
        const pointer = decodeURIComponent(link.slice(link.indexOf('#') + 2)).split('/');
        const keys = pointer.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
        // biome-ignore lint/suspicious/noExplicitAny: follows the pointer, whatever it leads to
        return keys.reduce((at: any, key) => at[key], document).operationId;
      });
    const all = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(operationIds.sort()).toEqual(all.map(({ operationId }) => operationId).sort());
    for (const link of links.filter((one) => !one.includes('#')))
      expectFor(link, (await fetch(`${url}${link}`)).status).toBe(200);
  });
});

describe('a page of docs/', () => {
  it('links only to what is served or to an address of its own', async () => {
    const texts = readTexts(new URL('../../../docs/', import.meta.url));
    expect(texts.size).toBeGreaterThan(20);
    for (const [path, text] of texts) {
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
      for (const target of new Set(targets.filter((one) => !/^https?:/.test(one)))) {
        const { status } = await fetch(new URL(target, `${url}${path}`));
        expectFor(`${path}: ${target}`, status).toBe(200);
      }
    }
  });

  it('names a file of the repository that is not served, and leads to the document where it is', async () => {
    const read = async (page: string) => (await fetch(`${url}/docs/${page}`)).text();
    expect(await read('publisher.md')).toMatch(/contract\/vectors\/batch\.json/);
    expect(await read('publisher.md')).toMatch(/\]\(\/openapi\.json/);
    expect(await read('README.md')).toContain('the first five minutes (`README.md` in the repository)');
  });

  it('is served as the Markdown it is, like /llms.txt', async () => {
    const { status, headers } = await fetch(`${url}/docs/rates.md`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each(['/docs/adr/0001-mongoose-8.md', '/docs/../README.md', '/docs/..%2fREADME.md', '/docs/RATES.md'])(
    'is only a file directly in the folder: %s is not served',
    async (path) => {
      expect((await fetch(`${url}${path}`)).status).toBe(404);
    },
  );
});

describe('/docs', () => {
  it.each(['/docs', '/docs/', '/docs?url=https://other.example/'])('%s is the same page', async (path) => {
    const [page, plain] = await Promise.all([fetch(`${url}${path}`), fetch(`${url}/docs`)]);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toBe(await plain.text());
  });

  it('allows files of its own origin and no frame around it', async () => {
    const answer = await fetch(`${url}/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "manifest-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has no inline script or style, and every file it names may be cached for a year', async () => {
    const html = await (await fetch(`${url}/docs`)).text();
    expect(html).not.toMatch(/<script>|<style|\sstyle=|\bon\w+=/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
    expect(files.map((file) => file?.split('/').at(-1)).sort()).toEqual([
      'favicon-16x16.png',
      'favicon-32x32.png',
      'page.css',
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
