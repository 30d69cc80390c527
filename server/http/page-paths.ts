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
];

/** Whether this is a path of the page, compared without decoding: no parameter needs percent-encoding. */
export function isPagePath(path: string): boolean {
  return pagePaths.some(({ path: template, parameter }) => {
    if (parameter === undefined) return path === template;
    const folder = template.slice(0, template.indexOf(':'));
    return path.startsWith(folder) && parameter.safeParse(path.slice(folder.length)).success;
  });
}
