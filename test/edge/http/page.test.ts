import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pagePaths } from '../../../server/http/page-paths.js';
import { type BuiltPage, builtFiles, writeBuiltPage } from '../../fixtures/edge/built-page.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
let built: BuiltPage;
let app: TestApp;

beforeAll(async () => {
  built = writeBuiltPage();
  app = await startTestApp({ uri: database.uri, world: { pageFolder: built.folder } });
});
afterAll(async () => {
  await app.close();
  built.remove();
});

interface Answer {
  status: number;
  header(name: string): string | undefined;
  body: Buffer;
}

let clients = 0;
/** Sends a path unchanged, from a new address unless one is given. */
function send(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  clients += 1;
  const from = { 'x-forwarded-for': `198.18.${clients >> 8}.${clients & 255}`, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: app.port, method, path, headers: from }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          header: (name) => answer.headers[name]?.toString(),
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

const hash = 'ab'.repeat(32);
const examples: Record<string, string> = { corridor: 'usdc-ngn', anchorId: 'harbour', intentHash: hash };
const paths = pagePaths.map(({ path }) => path.replace(/:(\w+)/, (_, name: string) => examples[name] ?? ''));
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

describe('a path of the web page', () => {
  it('is one of these', () => {
    expect(paths).toEqual([
      '/',
      '/rates/usdc-ngn',
      '/anchors',
      '/anchors/harbour',
      '/offramp',
      `/offramp/${hash}`,
      '/proof',
      '/proof/harbour',
      '/dispute',
      '/desk',
    ]);
  });

  it.each([...paths, '/?amount=100&lang=fr', '/rates/USDC-XOF-SN', '/rates/usdc-zzz'])(
    '%s is answered with index.html, which browsers ask for again each time',
    async (path) => {
      const answer = await send(path);
      expect(answer.status).toBe(200);
      expect(answer.header('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.header('cache-control')).toBe('no-cache');
      expect(answer.body.toString()).toBe(builtFiles['index.html']);
    },
  );

  it.each(paths)('%s allows what its own origin serves and nothing else', async (path) => {
    const { header } = await send(path);
    expect(header('content-security-policy')).toBe(policy);
    expect(header('x-frame-options')).toBe('DENY');
    expect(header('x-content-type-options')).toBe('nosniff');
    expect(header('referrer-policy')).toBe('no-referrer');
    expect(header('cross-origin-opener-policy')).toBe('same-origin');
    expect(header('permissions-policy')).toContain('camera=(), ');
    expect(header('access-control-allow-origin')).toBeUndefined();
  });

  it('has an ETag for each coding, and is 304 for whoever has it', async () => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br']) {
      const first = await send('/', { 'accept-encoding': coding });
      expectFor(coding, first.header('content-encoding') ?? 'identity').toBe(coding);
      expectFor(coding, first.header('vary')).toBe('Accept-Encoding');
      const tag = first.header('etag') ?? '';
      tags.add(tag);
      const again = await send('/rates/usdc-ngn', { 'accept-encoding': coding, 'if-none-match': tag });
      expectFor(coding, [again.status, again.body.length]).toEqual([304, 0]);
      expectFor(coding, again.header('etag')).toBe(tag);
      expectFor(coding, again.header('cache-control')).toBe('no-cache');
      expectFor(coding, again.header('content-security-policy')).toBe(policy);
    }
    expect(tags.size).toBe(3);
  });

  it.each(['/', '/assets/index-a1b2c3d4.js', '/favicon.svg'])(
    '%s has by HEAD the headers of GET and no body',
    async (path) => {
      const [head, get] = [await send(path, {}, 'HEAD'), await send(path)];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      for (const name of [
        'content-length',
        'content-type',
        'etag',
        'cache-control',
        'content-security-policy',
      ])
        expectFor(name, head.header(name)).toBe(get.header(name));
    },
  );

  it.each(['/', '/anchors/harbour', '/assets/index-a1b2c3d4.js', '/favicon.svg'])(
    '%s is read-only',
    async (path) => {
      const posted = await send(path, {}, 'POST');
      expect([posted.status, posted.header('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(JSON.parse(posted.body.toString())).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
      expect((await send(path, {}, 'OPTIONS')).status).toBe(204);
    },
  );
});

describe('a file of the build', () => {
  it.each([
    ['assets/index-a1b2c3d4.js', /^(application|text)\/javascript; charset=utf-8$/i],
    ['assets/index-e5f6a7b8.css', /^text\/css; charset=utf-8$/],
  ] as const)('%s, whose name changes with its content, may be kept for a year', async (name, type) => {
    const answer = await send(`/${name}`);
    expect([answer.status, answer.body.toString()]).toEqual([200, builtFiles[name]]);
    expect(answer.header('content-type')).toMatch(type);
    expect(answer.header('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it.each([
    ['favicon.svg', 'image/svg+xml'],
    ['manifest.webmanifest', 'application/manifest+json'],
    ['robots.txt', 'text/plain; charset=utf-8'],
  ] as const)('%s keeps its name, so browsers ask for it again', async (name, type) => {
    const answer = await send(`/${name}`);
    expect([answer.status, answer.body.toString()]).toEqual([200, builtFiles[name]]);
    expect(answer.header('content-type')).toBe(type);
    expect(answer.header('cache-control')).toBe('no-cache');
  });

  it('is compressed for clients that accept a coding', async () => {
    const plain = await send('/assets/index-a1b2c3d4.js');
    for (const coding of ['gzip', 'br']) {
      const answer = await send('/assets/index-a1b2c3d4.js', { 'accept-encoding': coding });
      expectFor(coding, answer.header('content-encoding')).toBe(coding);
      expectFor(coding, answer.body.length).toBeLessThan(plain.body.length / 10);
    }
  });
});

describe('everything else', () => {
  it.each([
    '/rates',
    '/rates/',
    '/rates/usdc',
    '/rates/usdc-ngn/',
    '/rates/usdc-ngn/history',
    '/rates/usdc%2Dngn',
    '/rates/%E0%A4',
    '/Anchors',
    '/anchors/',
    `/anchors/${'a'.repeat(41)}`,
    '/offramp/abc',
    `/offramp/${hash.toUpperCase()}`,
    '/index.html',
    '/docs.html',
    '/.vite/license.md',
    '/assets',
    '/assets/',
    '/assets/nothing.js',
    '/assets/../index.html',
    '/assets/..%2findex.html',
    '/assets/%2e%2e/index.html',
    '/..%2ffavicon.svg',
    '/../favicon.svg',
    '//favicon.svg',
    '/favicon.svg/',
    '/favicon.svg%00',
    '/assets\\index-a1b2c3d4.js',
  ])('%s is the JSON error that it was, and counts as an unknown path', async (path) => {
    const answer = await send(path);
    expect(answer.header('content-type')).toBe('application/json; charset=utf-8');
    expect([400, 404]).toContain(answer.status);
    const code = answer.status === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST';
    expect(JSON.parse(answer.body.toString())).toMatchObject({ code });
    expect(answer.header('x-ratelimit-limit')).toBe('60');
    expect(answer.header('content-security-policy')).toBeUndefined();
  });

  it.each(['/zzz', '/offramp/abc', '/rates/usdc-ngn/', '/index.html'])(
    '%s is for browsers the page, which says that it is unknown, counts as such and is in no frame',
    async (path) => {
      const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
      const answer = await send(path, { ...browser, 'if-none-match': '*' });
      expect([answer.status, answer.body.toString()]).toEqual([404, builtFiles['index.html']]);
      expect(answer.header('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.header('cache-control')).toBe('no-store');
      expect(answer.header('vary')).toBe('Accept, Accept-Encoding');
      expect(answer.header('x-ratelimit-limit')).toBe('60');
      expect(answer.header('content-security-policy')).toBe(policy);
      expect(answer.header('x-frame-options')).toBe('DENY');
      const head = await send(path, browser, 'HEAD');
      expect([head.status, head.body.length]).toEqual([404, 0]);
    },
  );

  it('is JSON for programs, and at the paths of programs', async () => {
    for (const [path, accept, method] of [
      ['/zzz', '*/*', 'GET'],
      ['/zzz', 'application/json, text/html', 'GET'],
      ['/zzz', 'text/html;q=0.5, application/json', 'GET'],
      ['/zzz', 'text/html', 'POST'],
      ['/api/zzz', 'text/html', 'GET'],
      ['/api', 'text/html', 'GET'],
      ['/assets/zzz.js', 'text/html', 'GET'],
      ['/docs/zzz.md', 'text/html', 'GET'],
    ] as const) {
      const answer = await send(path, { accept }, method);
      expectFor(`${method} ${path} ${accept}`, answer.status).toBe(404);
      expectFor(`${method} ${path} ${accept}`, JSON.parse(answer.body.toString()).code).toBe('NOT_FOUND');
    }
    expect((await send('/zzz')).header('vary')).toContain('Accept');
  });

  it('counts against the limit of unknown paths for browsers, too, whose 429 is the documented error', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.8', accept: 'text/html' };
    for (let n = 0; n < 60; n += 1) expect((await send('/zzz', headers)).status).toBe(404);
    const refused = await send('/zzz', headers);
    expect([refused.status, JSON.parse(refused.body.toString()).code]).toEqual([429, 'RATE_LIMITED']);
  });

  it('of the folder above is out of reach of every way to write its path', async () => {
    const name = built.folder.pathname.split('/').at(-2);
    for (const up of ['..', '%2e%2e', '..%2f', '%2e%2e%2f', '..%5c', '..\\', '....//'])
      for (const start of ['/', '/assets/', '/docs/'])
        for (const depth of [1, 2, 3]) {
          const path = `${start}${`${up}/`.repeat(depth)}${name}.secret`;
          const answer = await send(path);
          expectFor(path, answer.status).toBe(path.includes('\0') ? 400 : 404);
          expectFor(path, answer.body.toString()).not.toContain('not to be served');
        }
  });

  it('that was served before still is: the documents and the API', async () => {
    expect((await send('/openapi.json')).header('content-type')).toContain('json');
    expect(JSON.parse((await send('/api/corridors')).body.toString())).toHaveProperty('items');
  });
});

describe('/docs', () => {
  it('has the header and the styles of the page, the styles after its own', async () => {
    const answer = await send('/docs');
    const html = answer.body.toString();
    const [head = '', body = ''] = html.split('</head>');
    expect(head).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />');
    const links = [...head.matchAll(/<link[^>]* href="([^"]+)"/g)].map(([, path = '']) =>
      path.split('/').at(-1),
    );
    expect(links).toEqual(['swagger-ui.css', 'page.css', 'favicon.svg', 'docs-a9b8c7d6.css']);
    expect(head).toContain('<script type="module" crossorigin src="/assets/docs-c3d4e5f6.js">');
    const header = body.indexOf('<div id="header"></div>');
    expect([header > 0, body.indexOf('swagger-ui-bundle.js') > header]).toEqual([true, true]);
    expect(html.match(/<title>/g)).toHaveLength(1);
  });

  it('keeps its strict policy, without inline scripts and without style attributes', async () => {
    const answer = await send('/docs');
    const policy = answer.header('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(answer.body.toString()).not.toMatch(/<script(?![^>]* src=)|\sstyle=|\bon\w+=/);
  });
});

describe('the bounds of the server', () => {
  it('count no request of the page, so that nobody who reads it is refused by the API', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    for (let n = 0; n < 100; n += 1) {
      const answer = await send(['/', '/assets/index-a1b2c3d4.js', '/desk'][n % 3] ?? '/', headers);
      expect([answer.status, answer.header('x-ratelimit-limit')]).toEqual([200, undefined]);
    }
    expect((await send('/api/corridors', headers)).header('x-ratelimit-remaining')).toBe('59');
  });

  it('refuse an ambiguous request for the page as for any other path', async () => {
    for (const path of ['/', '/assets/index-a1b2c3d4.js']) {
      const refused = await send(path, { host: 'a, b' });
      expect(refused.status).toBe(400);
    }
  });

  it('count requests by the paths of the page, not by what clients write into them', async () => {
    for (const corridor of ['usdc-aaa', 'usdc-bbb', 'usdc-ccc']) await send(`/rates/${corridor}`);
    await send('/assets/index-e5f6a7b8.css');
    const text = (await send('/metrics')).body.toString();
    const routes = [
      ...text.matchAll(/^fairlead_http_request_duration_seconds_count\{[^}]*route="([^"]*)"/gm),
    ];
    const labels = routes.map(([, route]) => route);
    expect(labels).toContain('/rates/:corridor');
    expect(labels).toContain('/assets/:file');
    expect(labels.filter((label) => /usdc|index-|harbour/.test(label ?? ''))).toEqual([]);
  });
});

describe('where the page was not built', () => {
  it('the bare address leads to the documentation, other paths are unknown, and the log says so once', async () => {
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (_fields: object, line: string) => void lines.push(line) };
    const empty = new URL('nothing/', built.folder);
    const bare = await startTestApp({ uri: database.uri, world: { pageFolder: empty, logger } });
    try {
      for (let n = 0; n < 3; n += 1) {
        const answer = await fetch(`${bare.url}/`, { redirect: 'manual' });
        expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
      }
      expect((await fetch(`${bare.url}/anchors`)).status).toBe(404);
      expect(lines.filter((line) => line.includes('not built'))).toEqual([
        'the web page is not built, so / leads to /docs: npm run build',
      ]);
    } finally {
      await bare.close();
    }
  });
});
