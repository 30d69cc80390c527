import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** A text that many ask for, compressed once. */
export interface PreparedText {
  plain: Buffer;
  gzip: Buffer;
}

export function prepareText(text: string | Buffer): PreparedText {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain) };
}

/** Sends it, compressed if the client accepts gzip; the type and whatever else the answer says are set before. */
export function sendPrepared(req: Request, res: Response, text: PreparedText): void {
  const compressed = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const bytes = compressed ? text.gzip : text.plain;
  res.vary('Accept-Encoding');
  if (compressed) res.setHeader('Content-Encoding', 'gzip');
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
