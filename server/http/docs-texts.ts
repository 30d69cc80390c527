import { readdirSync, readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { prepareText, sendTagged } from './prepared-text.js';
import { setMaxAge } from './send-json.js';

/** Texts by the path that they are served at. */
export type Texts = ReadonlyMap<string, string>;

/** `/llms.txt`, and the pages of docs/ that it leads to: all but the decisions, which are for those who change the code. */
export function readTexts(folder: URL): Texts {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('adr/'));
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  return new Map([
    ['/llms.txt', read('llms.txt')],
    ...pages.map((name) => [`/docs/${name}`, read(name)] as const),
  ]);
}

/** They are public and the same for everyone: pages of any origin may read them. */
export function serveTexts(texts: Texts, freshSeconds: number): RequestHandler {
  const prepared = new Map([...texts].map(([path, text]) => [path, prepareText(text)]));
  return (req, res, next) => {
    const text = prepared.get(req.path);
    if (text === undefined) return next();
    res.type(req.path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'text/plain; charset=utf-8');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Access-Control-Allow-Origin', '*');
    setMaxAge(res, { seconds: freshSeconds, public: true });
    sendTagged(req, res, text).catch(next);
  };
}
