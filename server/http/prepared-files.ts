import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { RequestHandler, Response } from 'express';
import { type PreparedText, prepareText, sendTagged } from './prepared-text.js';

const yearSeconds = 31_536_000;

/** For a file whose address changes with its content. */
export function keepForGood(res: Response): void {
  res.setHeader('Cache-Control', `public, max-age=${yearSeconds}, immutable`);
}

/** For a page whose address stays: browsers ask each time whether their copy is still current. */
export function askEachTime(res: Response): void {
  res.setHeader('Cache-Control', 'no-cache');
}

/**
 * Sends files of a folder, each of which is read on its first request and kept with its compressed forms. Names begin
 * with a slash; the caller must pass only names of existing files.
 */
export function createFileSender(folder: string) {
  const prepared = new Map<string, PreparedText>();
  return (name: string, ...[req, res, next]: Parameters<RequestHandler>): void => {
    let text = prepared.get(name);
    if (text === undefined) {
      text = prepareText(readFileSync(join(folder, name)));
      prepared.set(name, text);
    }
    sendTagged(req, res.type(extname(name)), text).catch(next);
  };
}
