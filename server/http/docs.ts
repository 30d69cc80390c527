import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { setFreshness } from './send-json.js';

const documentFreshSeconds = 300;
const yearSeconds = 31_536_000;

/** Everything from this origin, no inline script or style; data: is for the icons inside Swagger UI's style sheet. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Swagger UI's own defaults would ask a validator on the internet, and could be given another document by URL. */
const initialise = `window.addEventListener('load', () => {
  window.SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#swagger-ui',
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    queryConfigEnabled: false,
    validatorUrl: null,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
  });
});
`;

interface Asset {
  type: string;
  bytes: Buffer;
  gzip: Buffer;
}

/**
 * `/docs` (Swagger UI on local files, under a strict policy) and `/openapi.json` (the document, with this origin as
 * its server). Neither limited nor authenticated; nothing in them comes from the request.
 */
export function createDocsRouter(deps: { document: object }): Router {
  const router = Router({ caseSensitive: true });
  const served = { ...deps.document, servers: [{ url: '/', description: 'This service.' }] };
  const assets = loadAssets();
  // The name changes with the content, so that browsers may keep a file for good.
  const base = `/docs/assets/${fingerprint(assets)}`;
  const html = page(base);

  // Who opens the bare address in a browser wants to read.
  router.get('/', (_req, res) => {
    res.setHeader('Location', '/docs');
    res.status(302).end();
  });
  router.get('/openapi.json', (_req, res) => {
    setFreshness(res, documentFreshSeconds, { public: true });
    res.json(served);
  });
  router.use('/docs', protect);
  router.get('/docs', (_req, res) => {
    res.setHeader('Cache-Control', 'no-cache');
    res.type('html').send(html);
  });
  router.get(`${base}/:file`, (req, res, next) => {
    const asset = assets.get(req.params.file);
    if (asset === undefined) return next();
    res.setHeader('Cache-Control', `public, max-age=${yearSeconds}, immutable`);
    res.setHeader('Content-Type', asset.type);
    res.vary('Accept-Encoding');
    const compress = req.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (compress) res.setHeader('Content-Encoding', 'gzip');
    res.send(compress ? asset.gzip : asset.bytes);
  });
  return router;
}

const protect: RequestHandler = (_req, res, next) => {
  res.setHeader('Content-Security-Policy', contentSecurityPolicy);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  next();
};

function loadAssets(): Map<string, Asset> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const read = (name: string) => readFileSync(join(folder, name));
  return new Map([
    ['swagger-ui-bundle.js', asset('text/javascript; charset=utf-8', read('swagger-ui-bundle.js'))],
    ['swagger-ui.css', asset('text/css; charset=utf-8', read('swagger-ui.css'))],
    ['favicon-32x32.png', asset('image/png', read('favicon-32x32.png'))],
    ['start.js', asset('text/javascript; charset=utf-8', Buffer.from(initialise))],
  ]);
}

/** Compressed once, at the start: the bundle is 1.7 MB plain and a quarter of that so. */
function asset(type: string, bytes: Buffer): Asset {
  return { type, bytes, gzip: gzipSync(bytes) };
}

function fingerprint(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const { bytes } of assets.values()) hash.update(bytes);
  return hash.digest('hex').slice(0, 16);
}

function page(base: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Fairlead API</title>
    <link rel="stylesheet" href="${base}/swagger-ui.css">
    <link rel="icon" type="image/png" href="${base}/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${base}/swagger-ui-bundle.js"></script>
    <script src="${base}/start.js"></script>
  </body>
</html>
`;
}
