import { afterAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { createDocsRouter } from '../../../server/http/docs.js';
import { readTexts } from '../../../server/http/docs-texts.js';
import { sendJson } from '../../../server/http/send-json.js';
import { document } from '../../support/answers/document.js';
import { expectFor } from '../../support/expect-for.js';

const app = express();
app.disable('etag');
app.use(sendJson({ begin: () => () => undefined }), createDocsRouter({ pageFolder: undefined }));
const { origin: url, stop } = await listenOnLoopback(app);
afterAll(stop);

describe('what programs read', () => {
  it('/openapi.json is the committed document with the answering origin as its only server', async () => {
    const servers = [{ url: '/', description: 'This service.' }];
    expect(JSON.parse((await get('/openapi.json')).text)).toEqual({ ...document, servers });
  });

  it('/openapi.client.json is it without what generators of clients cannot represent: webhooks, links, streams', async () => {
    const client = JSON.parse((await get('/openapi.client.json')).text) as typeof document;
    expect(client).not.toHaveProperty('webhooks');
    const left = Object.entries(document.paths).filter(([path]) => !path.endsWith('/stream'));
    const unlinked = (name: string, value: unknown) => (name === 'links' ? undefined : value);
    const paths = JSON.stringify(Object.fromEntries(left), unlinked);
    expect(client.paths).toEqual(JSON.parse(paths));
    expect(paths).not.toBe(JSON.stringify(document.paths));
    expect(client.tags.map(({ name }) => name)).not.toContain('events');
  });

  it.each([
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/openapi.client.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/docs/rates.md', 'text/markdown; charset=utf-8'],
  ])(
    '%s is for any origin, kept for a while, and asked for again by the ETag of its coding',
    async (path, type) => {
      const first = await get(path, { origin: 'https://tool.example' });
      const names = ['content-type', 'access-control-allow-origin', 'cache-control'];
      expect([first.status, ...names.map(first.header)]).toEqual([200, type, '*', 'public, max-age=300']);
      const etag = first.header('etag') ?? '';
      expect(await get(path, { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
      expect((await get(path, { 'accept-encoding': 'identity', 'if-none-match': etag })).status).toBe(200);
    },
  );

  it('/llms.txt names every operation, and only pages that are served', async () => {
    const { text } = await get('/llms.txt');
    expect(text).toMatch(/^# Fairlead\n\n> [^\n]+\n\n/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) => link);
    const pointers = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `#/paths/${path.replaceAll('/', '~1')}/${method}`),
    );
    const named = links.filter((link) => link.includes('#'));
    const pointedAt = named.map((link) => decodeURIComponent(link.slice(link.indexOf('#'))));
    expect(pointedAt.sort()).toEqual(pointers.sort());
    for (const link of links.filter((one) => !one.includes('#')))
      expectFor(link, (await get(link)).status).toBe(200);
  });
});

describe('a page of docs/', () => {
  it('links only to what is served or to an address of its own', async () => {
    const texts = readTexts(new URL('../../../docs/', import.meta.url));
    expect(texts.size).toBeGreaterThan(10);
    for (const [path, text] of texts) {
      const targets = new Set([...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target));
      for (const target of [...targets].filter((one) => !/^https?:/.test(one)))
        expectFor(`${path}: ${target}`, (await fetch(new URL(target, `${url}${path}`))).status).toBe(200);
    }
  });

  it.each([
    ...['/docs/adr/0001-mongoose-8.md', '/docs/../README.md', '/docs/..%2fREADME.md', '/docs/RATES.md'],
    ...['/docs/assets', '/docs/package.json', '/docs/assets/..%2f..%2fpackage.json'],
  ])('is only a file directly in the folder: %s is not served', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('/docs', () => {
  it('allows files of its own origin, no frame around it, and has no inline script or style', async () => {
    const { header, text } = await get('/docs');
    for (const path of ['/docs/', '/docs?url=https://other.example/'])
      expectFor(path, await get(path)).toMatchObject({ status: 200, text });
    const policy = (header('content-security-policy') ?? '').split('; ').sort();
    const closed = ['base-uri', 'default-src', 'form-action', 'frame-ancestors'];
    const none = closed.map((name) => `${name} 'none'`);
    const self = 'connect font manifest script style'.split(' ').map((name) => `${name}-src 'self'`);
    expect(policy).toEqual([...none, ...self, "img-src 'self' data:"].sort());
    expect([header('x-frame-options'), header('x-content-type-options')]).toEqual(['DENY', 'nosniff']);
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\bon\w+=/);
  });

  it('names files that may be kept for a year and are compressed, and serves nothing else out of their folder', async () => {
    const { text } = await get('/docs');
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(4);
    const year = 'public, max-age=31536000, immutable';
    for (const file of files) {
      const { status, header } = await get(file);
      expectFor(file, [status, header('cache-control')]).toEqual([200, year]);
    }
    const bundle = files.find((file) => file.endsWith('bundle.js')) ?? '';
    const zipped = await get(bundle, { 'accept-encoding': 'gzip' });
    const plain = await get(bundle, { 'accept-encoding': 'identity' });
    expect([zipped, plain].map((each) => each.header('content-encoding'))).toEqual(['gzip', null]);
    expect(zipped.text).toBe(plain.text);
    const folder = bundle.slice(0, bundle.lastIndexOf('/'));
    for (const file of ['package.json', 'README.md', 'swagger-ui-bundle.js.map', 'index.html', ''])
      expectFor(file, (await get(`${folder}/${file}`)).status).toBe(404);
  });
});

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, { headers });
  const header = (name: string) => answer.headers.get(name);
  return { status: answer.status, header, text: await answer.text() };
}
