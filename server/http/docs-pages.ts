import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { marked } from 'marked';
import { readTexts, type Texts } from './docs-texts.js';
import { askedForEachTime, keptForGood, pageHeaders, staticAnswer } from './static-answer.js';
import { swaggerBase, swaggerFiles, swaggerFrame, swaggerHtml, swaggerScript } from './swagger-page.js';

/** The generated documents, which the build keeps at the same place beside the compiled server. */
const folder = new URL('../../docs/', import.meta.url);
const keptForMinutes = 'public, max-age=300';
const html = { type: 'html', cacheControl: askedForEachTime };

function documentOf(name: string): string {
  const document = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object;
  return JSON.stringify({ ...document, servers: [{ url: '/', description: 'This service.' }] });
}

type Operations = Record<string, Record<string, { tags: string[]; operationId: string; summary: string }>>;

interface Reference {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Operations;
  webhooks: Operations;
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

function slugOf(heading: string): string {
  return heading
    .replaceAll(/<[^>]+>|&[#\w]+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

const groups = {
  Guides: /^\/docs\/guides\//,
  Pages: /^\/docs\/[^/]+\.md$/,
  Operators: /^\/docs\/operations\//,
};

/** The built page that the documentation is put into: its header and styles; undefined where it is not built. */
function docsShell(pageFolder: URL | undefined): string | undefined {
  const built = pageFolder && new URL('docs.html', pageFolder);
  return built && existsSync(built) ? readFileSync(built, 'utf8') : undefined;
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

/** Routes the reference, the documents and the texts of docs/. */
export function routePages(pageFolder: URL | undefined): Router {
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
  router.use('/docs', pageHeaders);
  const reference = () => inDress(shell ?? '', swaggerFrame(operationsHtml()), docsLinks(texts, '/docs'));
  router.get('/docs', staticAnswer(shell === undefined ? () => swaggerHtml : reference, html));
  router.get(
    '/docs/reference.json',
    staticAnswer(() => documentOf('reference.json'), { type: 'json', cacheControl: askedForEachTime }),
  );
  for (const [path, text] of texts) {
    const isGuide = path.endsWith('.md');
    const guide = () => guideHtml(shell ?? '', path, texts);
    if (shell !== undefined && isGuide) router.get(path, forBrowsers(guide));
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

/** The links to the reference and to every page of the documentation; the one that is shown is marked. */
function docsLinks(texts: Texts, shown: string): string {
  const link = (path: string, title: string) =>
    `<li><a href="${path}"${path === shown ? ' aria-current="page"' : ''}>${marked.parseInline(title)}</a></li>`;
  const lists = Object.entries(groups).map(([title, paths]) => {
    const pages = [...texts].filter(([path]) => paths.test(path));
    const links = pages.map(([path, text]) => link(path, titleOf(text)));
    return `<h2>${title}</h2><ul>${links.join('')}</ul>`;
  });
  return `<nav class="docs-links" aria-label="Documentation" lang="en"><ul>${link('/docs', 'API reference')}</ul>${lists.join('')}</nav>`;
}

/**
 * Headings have the ids that GitHub gives them, which the pages link to. What may scroll sideways on a narrow screen is
 * reached by keyboard.
 */
function htmlOf(text: string): string {
  return String(marked.parse(text))
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll(
      /<h([1-6])>(.*?)<\/h\1>/g,
      (_, depth: string, heading: string) => `<h${depth} id="${slugOf(heading)}">${heading}</h${depth}>`,
    );
}

/** What the reference is about, and a link to each operation. */
function operationsHtml(): string {
  const { info, tags, paths, webhooks } = JSON.parse(documentOf('reference.json')) as Reference;
  const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      at: `${method.toUpperCase()} ${path}`,
    })),
  );
  const lists = tags.map(({ name, description }) => {
    const some = operations.filter((operation) => operation.tags.includes(name));
    const links = some.map(
      ({ at, operationId, summary }) =>
        `<li><a href="#/${name}/${operationId}"><code>${at}</code></a> ${summary}</li>`,
    );
    return `<h3>${name}</h3>${htmlOf(description)}<ul>${links.join('')}</ul>`;
  });
  return `<h1>${info.title}</h1>${htmlOf(info.description)}<h2>Operations</h2>${lists.join('')}`;
}

/** The built page with its content. */
function inDress(shell: string, main: string, links: string): string {
  return shell.replace('</body>', () => `<div class="docs">${main}${links}</div></body>`);
}

/** A page of the documentation in the dress of the web page. */
function guideHtml(shell: string, path: string, texts: Texts): string {
  const text = texts.get(path) ?? '';
  const main = `<main class="guide" lang="en">${htmlOf(text)}</main>`;
  const titled = shell.replace(/<title>.*?<\/title>/, () => `<title>${titleOf(text)} · Fairlead</title>`);
  return inDress(titled, main, docsLinks(texts, path));
}
