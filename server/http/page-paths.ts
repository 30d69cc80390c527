import type { z } from 'zod';
import { anchorInRequest, corridorInRequest, intentHashText } from '../../contract/schemas/primitives.js';

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
  { path: '/embed/:corridor', parameter: corridorInRequest },
];

/** Whether this is a path of the page, compared without decoding: no parameter needs percent-encoding. */
export function isPagePath(path: string): boolean {
  return pagePaths.some(({ path: template, parameter }) => {
    if (parameter === undefined) return path === template;
    const folder = template.slice(0, template.indexOf(':'));
    return path.startsWith(folder) && parameter.safeParse(path.slice(folder.length)).success;
  });
}

/**
 * Whether a path is one corridor's board, which any site may show in a frame: it asks for no key and signs nothing. An
 * unknown path below /embed/ is not framed, since its page links to every other page.
 */
export function isEmbedded(path: string): boolean {
  return path.startsWith('/embed/') && isPagePath(path);
}
