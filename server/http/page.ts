import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import type { z } from 'zod';
import { anchorInRequest, corridorInRequest, intentHashText } from '../../contract/schemas/primitives.js';
import type { Logger } from '../ports.js';
import { askedForEachTime, keptForGood, pageHeaders, staticAnswer } from './static-answer.js';

/** Paths that programs request: their errors are JSON whatever the client accepts. */
const ofPrograms = /^\/(api|v1|assets|docs|openapi[^/]*|llms\.txt|healthz|readyz|metrics)(\/|$)/;

const indexFile = '/index.html';

/**
 * Serves the page at its paths, and the files it loads: those in assets/ have names that change with their content.
 * Both have no limit or credential, since they are the same for everyone. Undefined, and logged, if it was not built.
 */
export function createPage(deps: { folder: URL; logger: Pick<Logger, 'warn'> }) {
  const folder = fileURLToPath(deps.folder);
  if (!existsSync(join(folder, indexFile))) {
    deps.logger.warn({ folder }, 'the web page is not built, so / leads to /docs: npm run build');
    return undefined;
  }
  const files = filesOf(folder);
  const router = Router({ caseSensitive: true, strict: true });
  router.use(pageHeaders);

  const answerWith = (path: string, cacheControl: string) =>
    staticAnswer(() => readFileSync(join(folder, path)), { type: extname(path), cacheControl });
  const index = answerWith(indexFile, askedForEachTime);
  // One route per path, because requests are counted by route.
  for (const { path } of pagePaths) router.get(path, index);
  const answers = new Map(
    files.map((path) => [path, answerWith(path, isAsset(path) ? keptForGood : askedForEachTime)]),
  );
  const answerFile: RequestHandler = (req, res, next) => {
    const answer = answers.get(req.path);
    if (answer === undefined) return next();
    answer(req, res, next);
  };
  router.get('/assets/:file', answerFile);
  for (const path of files) if (!isAsset(path)) router.get(path, answerFile);

  const unknown = answerWith(indexFile, 'no-store');
  const answerUnknown: RequestHandler = (req, res, next) => {
    if (!['GET', 'HEAD'].includes(req.method) || ofPrograms.test(req.path)) return next();
    res.vary('Accept');
    if (req.accepts(['application/json', 'text/html']) !== 'text/html') return next();
    pageHeaders(req, res.status(404), () => unknown(req, res, next));
  };

  return {
    /** Answers a browser's request for an unknown path with the page, which says that nothing is served there. */
    answerUnknown,
    serves: (path: string) => isPagePath(path) || answers.has(path),
    router,
  };
}

function isAsset(name: string): boolean {
  return name.startsWith('/assets/');
}

/** A path of the web page, and the form of its parameter; the page itself shows whether the named thing exists. */
interface PagePath {
  path: string;
  parameter?: z.ZodTypeAny;
}

/** The routes of the page (web/src/app.tsx), all of which are answered with its index.html. */
export const pagePaths: readonly PagePath[] = [
  { path: '/' },
  { path: '/rates/:corridor', parameter: corridorInRequest },
  { path: '/anchors' },
  { path: '/anchors/:anchorId', parameter: anchorInRequest },
  { path: '/offramp' },
  { path: '/offramp/:intentHash', parameter: intentHashText },
  { path: '/proof' },
  { path: '/proof/:anchorId', parameter: anchorInRequest },
  { path: '/dispute' },
  { path: '/desk' },
];

/** Whether this is a path of the page, compared without decoding: no parameter needs percent-encoding. */
export function isPagePath(path: string): boolean {
  return pagePaths.some(({ path: template, parameter }) => {
    if (parameter === undefined) return path === template;
    const folder = template.slice(0, template.indexOf(':'));
    return path.startsWith(folder) && parameter.safeParse(path.slice(folder.length)).success;
  });
}

/** The files by their paths below the folder, without HTML, which is served at the paths of the page alone. */
function filesOf(folder: string): string[] {
  const inFolder = (path: string) =>
    readdirSync(join(folder, path), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.html'))
      .map(({ name }) => `${path}${name}`);
  return [...inFolder('/'), ...inFolder('/assets/')];
}
