import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { readTexts } from './docs-texts.js';
import { docsLinks, docsShell, guideHtml } from './guide-page.js';
import { askedForEachTime, keptForGood, pageHeaders, staticAnswer } from './static-answer.js';
import { swaggerBase, swaggerFiles, swaggerHtml, swaggerScript } from './swagger-page.js';

/** The generated documents, which the build keeps at the same place beside the compiled server. */
const folder = new URL('../../docs/', import.meta.url);
const keptForMinutes = 'public, max-age=300';
const html = { type: 'html', cacheControl: askedForEachTime };

/** Whether a path belongs to the documentation, including `/`, which redirects to it. */
export function isDocsPath(path: string): boolean {
  return /^\/($|docs($|\/)|openapi(\.client)?\.json$|llms\.txt$)/.test(path);
}

/**
 * `/docs` (Swagger UI on local files, under a strict policy and the header of the web page), `/openapi.json` and
 * `/openapi.client.json` (the documents, with this origin as their server), `/llms.txt` and the pages it names
 * (`/docs/rates.md`), which browsers get in the dress of the web page. They are neither limited nor authenticated; nothing
 * in them comes from the request.
 */
export function createDocsRouter({ pageFolder }: { pageFolder: URL | undefined }): Router {
  let pages: Router | undefined;
  return Router({ caseSensitive: true }).use((req, res, next) => {
    pages ??= routePages(pageFolder);
    pages(req, res, next);
  });
}

function routePages(pageFolder: URL | undefined): Router {
  const texts = readTexts(folder);
  const shell = docsShell(pageFolder);
  const router = Router({ caseSensitive: true });
  // If the web page is not built, `/` redirects browsers to the documentation.
  router.get('/', (_req, res) => {
    res.setHeader('Location', '/docs');
    res.status(302).end();
  });
  for (const name of ['openapi.json', 'openapi.client.json'])
    router.get(`/${name}`, ...forEveryone(() => documentOf(name), 'json'));
  router.use('/docs', pageHeaders());
  const reference = () => swaggerHtml(shell, docsLinks(texts, '/docs'));
  router.get('/docs', staticAnswer(reference, html));
  router.get(
    '/docs/reference.json',
    staticAnswer(() => documentOf('reference.json'), { type: 'json', cacheControl: askedForEachTime }),
  );
  for (const [path, text] of texts) {
    const isGuide = path.endsWith('.md');
    const inDress = () => guideHtml(shell ?? '', path, texts);
    if (shell !== undefined && isGuide) router.get(path, forBrowsers(inDress));
    router.get(path, ...forEveryone(() => text, isGuide ? 'text/markdown' : 'txt'));
  }
  for (const [name, read] of Object.entries(swaggerFiles)) {
    const answer = staticAnswer(read, { type: extname(name), cacheControl: keptForGood });
    router.get(`${swaggerBase}/${name}`, answer);
  }
  const keepForGood: RequestHandler = (_req, res, next) => {
    res.setHeader('Cache-Control', keptForGood);
    next();
  };
  router.get(`${swaggerBase}/swagger-ui-init.js`, keepForGood, ...swaggerScript);
  return router;
}

function documentOf(name: string): string {
  const document = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object;
  return JSON.stringify({ ...document, servers: [{ url: '/', description: 'This service.' }] });
}

/** Answers browsers with HTML; programs, which accept anything, get the text that follows. */
function forBrowsers(read: () => string): RequestHandler {
  const answer = staticAnswer(read, html);
  return (req, res, next) => {
    res.vary('Accept');
    if (req.accepts(['text/markdown', 'text/html']) === 'text/html') answer(req, res, next);
    else next();
  };
}

/** Tools in browsers of any origin may read what is public and the same for everyone. */
function forEveryone(read: () => string, type: string): RequestHandler[] {
  const allow: RequestHandler = (_req, res, next) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    next();
  };
  return [allow, staticAnswer(read, { type, cacheControl: keptForMinutes })];
}
