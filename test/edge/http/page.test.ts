import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { pagePaths } from '../../../server/http/page.js';
import { builtFiles, writeBuiltPage } from '../../fixtures/edge/built-page.js';
import { newClient } from '../../fixtures/new-client.js';
import { startTestApp, testApp } from '../../support/app.js';
import { expectFor } from '../../support/expect-for.js';
import { silentLogger } from '../../support/silent-logger.js';

const built = writeBuiltPage();
afterAll(() => built.remove());
const app = await testApp({ world: { pageFolder: built.folder } });

/** Sends a path unchanged, from a new address unless one is given. */
async function send(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const from = { ...newClient(), ...headers };
  const sent = request({ host: '127.0.0.1', port: app.port, method, path, headers: from }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await buffer(answer);
  const header = (name: string) => answer.headers[name]?.toString();
  const code = () => (JSON.parse(body.toString()) as { code: string }).code;
  return { status: answer.statusCode ?? 0, header, body, code };
}

const post = (path: string) => send(path, {}, 'POST');
const hash = 'ab'.repeat(32);
const examples: Record<string, string> = { corridor: 'usdc-ngn', anchorId: 'harbour', intentHash: hash };
const paths = pagePaths.map(({ path }) => path.replace(/:(\w+)/, (_, name: string) => examples[name] ?? ''));
const script = '/assets/index-a1b2c3d4.js';
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

describe('a path of the web page', () => {
  it.each([...paths, '/?amount=100&lang=fr', '/rates/USDC-XOF-SN', '/rates/usdc-zzz'])(
    '%s is index.html, asked for again each time, which may use what its own origin serves and nothing else',
    async (path) => {
      const { status, body, header } = await send(path);
      expect([status, body.toString()]).toEqual([200, builtFiles['index.html']]);
      const expected = {
        ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
        ...{ 'content-security-policy': policy, 'x-frame-options': 'DENY' },
        ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
        ...{ 'cross-origin-opener-policy': 'same-origin', 'access-control-allow-origin': undefined },
        'permissions-policy': expect.stringContaining('camera=(), '),
      };
      expect(Object.fromEntries(Object.keys(expected).map((name) => [name, header(name)]))).toEqual(expected);
    },
  );

  it('has an ETag for each coding, and is 304 for whoever has it', async () => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br']) {
      const first = await send('/', { 'accept-encoding': coding });
      expectFor(coding, first.header('content-encoding') ?? 'identity').toBe(coding);
      if (coding !== 'identity') expectFor(coding, first.body.length).toBeLessThan(500);
      expectFor(coding, first.header('vary')).toBe('Accept-Encoding');
      const tag = first.header('etag') ?? '';
      tags.add(tag);
      const again = await send('/rates/usdc-ngn', { 'accept-encoding': coding, 'if-none-match': tag });
      expectFor(coding, [again.status, again.body.length, again.header('etag')]).toEqual([304, 0, tag]);
      expectFor(coding, again.header('content-security-policy')).toBe(policy);
    }
    expect(tags.size).toBe(3);
  });

  it.each(['/', '/anchors/harbour', script, '/favicon.svg'])(
    '%s is read-only, and has by HEAD the headers of GET and no body',
    async (path) => {
      const [get, head, posted] = [await send(path), await send(path, {}, 'HEAD'), await post(path)];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      const names = 'content-length content-type etag cache-control content-security-policy';
      for (const name of names.split(' ')) expectFor(name, head.header(name)).toBe(get.header(name));
      expect([posted.status, posted.header('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(posted.code()).toBe('METHOD_NOT_ALLOWED');
      expect((await send(path, {}, 'OPTIONS')).status).toBe(204);
    },
  );
});

describe('a file of the build', () => {
  const year = 'public, max-age=31536000, immutable';

  it.each([
    // Their names change with their content.
    ['assets/index-a1b2c3d4.js', /^(application|text)\/javascript; charset=utf-8$/i, year],
    ['assets/index-e5f6a7b8.css', /^text\/css; charset=utf-8$/, year],
    ['favicon.svg', /^image\/svg\+xml$/, 'no-cache'],
    ['manifest.webmanifest', /^application\/manifest\+json$/, 'no-cache'],
    ['robots.txt', /^text\/plain; charset=utf-8$/, 'no-cache'],
  ] as const)('%s is kept by browsers for as long as its name means the same', async (name, type, kept) => {
    const answer = await send(`/${name}`);
    expect([answer.status, answer.body.toString()]).toEqual([200, builtFiles[name]]);
    expect(answer.header('content-type')).toMatch(type);
    expect(answer.header('cache-control')).toBe(kept);
  });
});

describe('everything else', () => {
  const unknown = [
    '/rates /rates/ /rates/usdc /rates/usdc-ngn/ /rates/usdc-ngn/history /rates/usdc%2Dngn /rates/%E0%A4 /Anchors',
    `/anchors/ /anchors/${'a'.repeat(41)} /offramp/abc /offramp/${hash.toUpperCase()}`,
    '/index.html /docs.html /.vite/license.md /assets /assets/ /assets/nothing.js /assets/../index.html',
    '/assets/..%2findex.html /assets/%2e%2e/index.html /..%2ffavicon.svg /../favicon.svg //favicon.svg',
    '/favicon.svg/ /favicon.svg%00 /assets\\index-a1b2c3d4.js',
  ];

  it.each(unknown.join(' ').split(' '))('%s is a JSON error, and counts as an unknown path', async (path) => {
    const { status, header, code } = await send(path);
    expect(header('content-type')).toBe('application/json; charset=utf-8');
    expect(['404 NOT_FOUND', '400 INVALID_REQUEST']).toContain(`${status} ${code()}`);
    expect([header('x-ratelimit-limit'), header('content-security-policy')]).toEqual(['60', undefined]);
  });

  it.each(['/zzz', '/offramp/abc', '/rates/usdc-ngn/', '/index.html'])(
    '%s is for browsers the page, which says that it is unknown, counts as such and is in no frame',
    async (path) => {
      const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
      const answer = await send(path, { ...browser, 'if-none-match': '*' });
      expect([answer.status, answer.body.toString()]).toEqual([404, builtFiles['index.html']]);
      const names = 'cache-control vary x-ratelimit-limit content-security-policy x-frame-options';
      const expected = ['no-store', 'Accept, Accept-Encoding', '60', policy, 'DENY'];
      expect(names.split(' ').map(answer.header)).toEqual(expected);
      const head = await send(path, browser, 'HEAD');
      expect([head.status, head.body.length]).toEqual([404, 0]);
    },
  );

  it.each([
    ['/zzz', '*/*', 'GET'],
    ['/zzz', 'application/json, text/html', 'GET'],
    ['/zzz', 'text/html;q=0.5, application/json', 'GET'],
    ['/zzz', 'text/html', 'POST'],
    ['/api/zzz', 'text/html', 'GET'],
    ['/api', 'text/html', 'GET'],
    ['/assets/zzz.js', 'text/html', 'GET'],
    ['/docs/zzz.md', 'text/html', 'GET'],
  ])('%s is JSON for programs, and at the paths of programs: %s, %s', async (path, accept, method) => {
    const answer = await send(path, { accept }, method);
    expect([answer.status, answer.code()]).toEqual([404, 'NOT_FOUND']);
  });

  it('of the folder above is out of reach of every way to write its path', async () => {
    const name = built.folder.pathname.split('/').at(-2);
    for (const up of ['..', '%2e%2e', '..%2f', '%2e%2e%2f', '..%5c', '..\\', '....//'])
      for (const start of ['/', '/assets/', '/docs/'])
        for (const depth of [1, 2, 3]) {
          const path = `${start}${`${up}/`.repeat(depth)}${name}.secret`;
          const answer = await send(path);
          expectFor(path, answer.status).toBe(404);
          expectFor(path, answer.body.toString()).not.toContain('not to be served');
        }
  });
});

it('/docs has the header and the styles of the page, and its strict policy without inline scripts and styles', async () => {
  const answer = await send('/docs');
  const html = answer.body.toString();
  const links = [...html.matchAll(/<link[^>]* href="(?:[^"]*\/)?([^"/]+)"/g)].map(([, name]) => name);
  expect(links).toEqual(['favicon.svg', 'docs-a9b8c7d6.css']);
  expect(html).toContain('<script type="module" crossorigin src="/assets/docs-c3d4e5f6.js">');
  expect(html.indexOf('swagger-ui-bundle.js')).toBeGreaterThan(html.indexOf('<div id="header"></div>'));
  expect(html).not.toMatch(/<script(?![^>]* src=)|\sstyle=|\bon\w+=/);
  const policy = answer.header('content-security-policy') ?? '';
  for (const part of ["script-src 'self';", "style-src 'self';", "frame-ancestors 'none'"])
    expect(policy).toContain(part);
});

describe('the bounds of the server', () => {
  it('count no request of the page, so that nobody who reads it is refused by the API', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    for (let n = 0; n < 100; n += 1) {
      const answer = await send(['/', script, '/desk'][n % 3] ?? '/', headers);
      expect([answer.status, answer.header('x-ratelimit-limit')]).toEqual([200, undefined]);
    }
    expect((await send('/api/corridors', headers)).header('x-ratelimit-remaining')).toBe('59');
  });

  it('count requests by the paths of the page, not by what clients write into them', async () => {
    for (const corridor of ['usdc-aaa', 'usdc-bbb']) await send(`/rates/${corridor}`);
    await send('/assets/index-e5f6a7b8.css');
    const text = (await send('/metrics')).body.toString();
    const counts = text.matchAll(/^fairlead_http_request_duration_seconds_count\{[^}]*route="([^"]*)"/gm);
    const labels = [...counts].map(([, route]) => route);
    expect(labels).toEqual(expect.arrayContaining(['/rates/:corridor', '/assets/:file']));
    expect(labels.filter((label) => /usdc|index-|harbour/.test(label ?? ''))).toEqual([]);
  });
});

it('where the page was not built, the bare address leads to the documentation, and the log says so once', async () => {
  const lines: string[] = [];
  const logger = { ...silentLogger, warn: (_fields: object, line: string) => void lines.push(line) };
  const empty = new URL('nothing/', built.folder);
  const bare = await startTestApp({ uri: app.config.mongodbUri, world: { pageFolder: empty, logger } });
  try {
    for (let n = 0; n < 3; n += 1) {
      const answer = await fetch(`${bare.url}/`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
    }
    expect((await fetch(`${bare.url}/anchors`)).status).toBe(404);
    expect(lines.filter((line) => line.includes('not built'))).toHaveLength(1);
  } finally {
    await bare.close();
  }
});
