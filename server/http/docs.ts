import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type RequestHandler, Router } from 'express';
import swaggerUi, { type SwaggerUiOptions } from 'swagger-ui-express';
import { type Dress, dressed, readDress } from './docs-dress.js';
import { readTexts, serveTexts, type Texts } from './docs-texts.js';
import { pageHeaders } from './page-headers.js';
import { askEachTime, createFileSender, keepForGood } from './prepared-files.js';
import { prepareText, sendTagged } from './prepared-text.js';
import { setFreshness } from './send-json.js';

const require = createRequire(import.meta.url);
const documentFreshSeconds = 300;
/** Made by swagger-ui-express, from the options. */
const scriptOfOptions = '/swagger-ui-init.js';

const options: SwaggerUiOptions = {
  customSiteTitle: 'Fairlead API',
  // All answers of an operation have the same headers, so only the first answer shows them.
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
    // The default writes numbers in a red that is hard to read on its dark grey.
    syntaxHighlight: { theme: 'tomorrow-night' },
  },
};

/** The generated documents, which the build keeps at the same place beside the compiled server, and their page header. */
export interface Documents {
  /** docs/openapi.json */
  whole: object;
  /** docs/openapi.client.json: without `webhooks`, for generators of clients that stumble on them. */
  client: object;
  /** docs/llms.txt and the pages of docs/. */
  texts: Texts;
  /** Undefined where the web page was not built. */
  dress: Dress | undefined;
}

export function readDocuments(pageFolder: URL | undefined): Documents {
  const folder = new URL('../../docs/', import.meta.url);
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object;
  return {
    whole: read('openapi.json'),
    client: read('openapi.client.json'),
    texts: readTexts(folder),
    dress: readDress(pageFolder),
  };
}

/** Whether a path belongs to the documentation, including `/`, which redirects to it. */
export function isDocsPath(path: string): boolean {
  return /^\/($|docs($|\/)|openapi(\.client)?\.json$|llms\.txt$)/.test(path);
}

/**
 * `/docs` (Swagger UI on local files, under a strict policy and the header of the web page), `/openapi.json` and
 * `/openapi.client.json` (the documents, with this origin as their server), `/llms.txt` and the pages it names
 * (`/docs/rates.md`). They are neither limited nor authenticated; nothing in them comes from the request. They are read
 * on the first request, because they take 7 MB, and most processes never serve them.
 */
export function createDocsRouter(deps: { readDocuments: () => Documents }): Router {
  const router = Router({ caseSensitive: true });
  let pages: Router | undefined;
  return router.use((req, res, next) => {
    if (!isDocsPath(req.path)) return next();
    pages ??= routePages(deps.readDocuments());
    pages(req, res, next);
  });
}

function routePages({ whole, client, texts, dress }: Documents): Router {
  const router = Router({ caseSensitive: true });
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  // The address changes with the content, so that browsers may keep the files for good.
  const base = `/docs/assets/${fingerprint()}`;
  const plain = page(base);
  const html = dress === undefined ? plain : dressed(plain, dress);
  const files = new Set([...plain.matchAll(/(?:src|href)="[^"]+(\/[^"/]+)"/g)].map(([, file]) => file ?? ''));

  // If the web page is not built, `/` redirects browsers to the documentation.
  router.get('/', (_req, res) => {
    res.setHeader('Location', '/docs');
    res.status(302).end();
  });
  router.get('/openapi.json', serveDocument(whole));
  router.get('/openapi.client.json', serveDocument(client));
  router.use('/docs', pageHeaders({ inlineStylesOf: html }));
  router.use(serveTexts(texts, documentFreshSeconds));
  const preparedHtml = prepareText(html);
  router.get('/docs', (req, res, next) => {
    askEachTime(res);
    sendTagged(req, res.type('html'), preparedHtml).catch(next);
  });
  const sendFile = createFileSender(folder);
  router.use(
    base,
    // swagger-ui-dist holds many files that the page does not load; they get the common 404.
    (req, res, next) => {
      if (!files.has(req.path)) return next('router');
      keepForGood(res);
      if (req.path === scriptOfOptions) return next();
      sendFile(req.path, req, res, next);
    },
    ...swaggerUi.serveWithOptions({ cacheControl: false }),
  );
  return router;
}

/** Tools in browsers of any origin may read it: it is public, and the same for everyone. */
function serveDocument(document: object): RequestHandler {
  const served = { ...document, servers: [{ url: '/', description: 'This service.' }] };
  return (_req, res) => {
    setFreshness(res, { seconds: documentFreshSeconds, public: true });
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
