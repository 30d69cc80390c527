import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import swaggerUi, { type SwaggerUiOptions } from 'swagger-ui-express';
import { readTexts, serveTexts, type Texts } from './docs-texts.js';
import { prepareText, sendPrepared } from './prepared-text.js';
import { setFreshness } from './send-json.js';

const require = createRequire(import.meta.url);
const documentFreshSeconds = 300;
const yearSeconds = 31_536_000;

const options: SwaggerUiOptions = {
  customSiteTitle: 'Fairlead API',
  // The headers of an operation are alike whatever its status: the first answer shows them, the others repeat them.
  customCss: '.responses-table .response ~ .response .headers-wrapper { display: none }',
  // Without it the page would take the address of a document from its query string.
  swaggerUrl: '/openapi.json',
  swaggerOptions: {
    layout: 'BaseLayout',
    queryConfigEnabled: false,
    // The default is a validator on the internet.
    validatorUrl: null,
    // The admin key stays in the memory of the page.
    persistAuthorization: false,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
  },
};

/** The generated documents; the build keeps them at the same place beside the compiled server. */
export interface Documents {
  /** docs/openapi.json */
  whole: object;
  /** docs/openapi.client.json: without `webhooks`, for generators of clients that stumble on them. */
  client: object;
  /** docs/llms.txt and the pages of docs/. */
  texts: Texts;
}

export function readDocuments(): Documents {
  const folder = new URL('../../docs/', import.meta.url);
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object;
  return { whole: read('openapi.json'), client: read('openapi.client.json'), texts: readTexts(folder) };
}

export const docsPaths = ['/openapi.json', '/openapi.client.json', '/llms.txt', '/docs'];

/**
 * `/docs` (Swagger UI on local files, under a strict policy), `/openapi.json` and `/openapi.client.json` (the documents,
 * with this origin as their server), `/llms.txt` and the pages it names (`/docs/rates.md`). Neither limited nor
 * authenticated; nothing in them comes from the request. Read when they are first asked for: they take 7 MB, and most
 * processes never are.
 */
export function createDocsRouter(deps: { readDocuments: () => Documents }): Router {
  const router = Router({ caseSensitive: true });
  let pages: Router | undefined;
  return router.use((req, res, next) => {
    if (!/^\/($|docs($|\/)|openapi\.|llms\.)/.test(req.path)) return next();
    pages ??= routePages(deps.readDocuments());
    pages(req, res, next);
  });
}

function routePages({ whole, client, texts }: Documents): Router {
  const router = Router({ caseSensitive: true });
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  // The address changes with the content, so that browsers may keep the files for good.
  const base = `/docs/assets/${fingerprint()}`;
  const html = page(base);
  const files = new Set([...html.matchAll(/(?:src|href)="[^"]+(\/[^"/]+)"/g)].map(([, file]) => file ?? ''));

  // Someone who opens the bare address in a browser wants to read.
  router.get('/', (_req, res) => {
    res.setHeader('Location', '/docs');
    res.status(302).end();
  });
  router.get('/openapi.json', serveDocument(whole));
  router.get('/openapi.client.json', serveDocument(client));
  router.use('/docs', protect(html));
  router.use(serveTexts(texts, documentFreshSeconds));
  const preparedHtml = prepareText(html);
  router.get('/docs', (req, res, next) => {
    res.setHeader('Cache-Control', 'no-cache');
    sendPrepared(req, res.type('html'), preparedHtml).catch(next);
  });
  router.use(
    base,
    // swagger-ui-dist holds many files that the page does not load; they get the common 404.
    (req, res, next) => {
      if (!files.has(req.path)) return next('router');
      res.setHeader('Cache-Control', `public, max-age=${yearSeconds}, immutable`);
      next();
    },
    servePrepared(folder, files),
    ...swaggerUi.serveWithOptions({ cacheControl: false }),
  );
  return router;
}

/** Tools in browsers of any origin may read it: it is public, and the same for everyone. */
function serveDocument(document: object): RequestHandler {
  const served = { ...document, servers: [{ url: '/', description: 'This service.' }] };
  return (_req, res) => {
    setFreshness(res, { seconds: documentFreshSeconds, public: true, voidedBy: [] });
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.json(served);
  };
}

function fingerprint(): string {
  const versions = ['swagger-ui-dist', 'swagger-ui-express'].map(
    (name) => (require(`${name}/package.json`) as { version: string }).version,
  );
  return createHash('sha256')
    .update(JSON.stringify([versions, options]))
    .digest('hex')
    .slice(0, 16);
}

/** The page of swagger-ui-express with absolute addresses, and without the one style attribute, which no hash allows. */
function page(base: string): string {
  return swaggerUi
    .generateHTML(undefined, options)
    .replaceAll('="./', `="${base}/`)
    .replace(/(<svg[^>]*) style="[^"]*"/, '$1 display="none"');
}

/** Everything comes from this origin. Inline are only the page's own styles; data: is for icons in the style sheet. */
function protect(html: string): RequestHandler {
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${styles.join(' ')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return (_req, res, next) => {
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('X-Frame-Options', 'DENY');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    next();
  };
}

/** Read and compressed once: the bundle is 1.7 MB, or a quarter of that. */
function servePrepared(folder: string, files: ReadonlySet<string>): RequestHandler {
  const large = [...files].filter((file) => /\.(js|css)$/.test(file) && file !== '/swagger-ui-init.js');
  const prepared = new Map(large.map((file) => [file, prepareText(readFileSync(join(folder, file)))]));
  return (req, res, next) => {
    const text = prepared.get(req.path);
    if (text === undefined) return next();
    sendPrepared(req, res.type(extname(req.path)), text).catch(next);
  };
}
