import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { readPages, servedText } from './docs-pages.js';
import { prepareText, sendTagged } from './prepared-text.js';
import { setFreshness } from './send-json.js';

/** Texts by the path that they are served at. */
export type Texts = ReadonlyMap<string, string>;

/** `/llms.txt`, and the pages of docs/ that it leads to. */
export function readTexts(folder: URL): Texts {
  const pages = readPages(folder);
  return new Map([
    ['/llms.txt', readFileSync(new URL('llms.txt', folder), 'utf8')],
    ...pages.map((page) => [`/docs/${page.path}`, servedText(page, pages)] as const),
  ]);
}

/** The texts are public and the same for everyone, so pages of any origin may read them. */
export function serveTexts(texts: Texts, freshSeconds: number): RequestHandler {
  const prepared = new Map([...texts].map(([path, text]) => [path, prepareText(text)]));
  return (req, res, next) => {
    const text = prepared.get(req.path);
    if (text === undefined) return next();
    res.type(req.path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'text/plain; charset=utf-8');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Access-Control-Allow-Origin', '*');
    setFreshness(res, { seconds: freshSeconds, public: true });
    sendTagged(req, res, text).catch(next);
  };
}
