import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A text that many ask for. */
export interface PreparedText {
  plain: Buffer;
  /** Compressed in another thread when it is first asked for, and then kept. */
  gzip(): Promise<Buffer>;
}

const compress = promisify(gzip);

export function prepareText(text: string | Buffer): PreparedText {
  const plain = Buffer.from(text);
  let compressed: Promise<Buffer> | undefined;
  return {
    plain,
    gzip() {
      compressed ??= compress(plain);
      return compressed;
    },
  };
}

/** Sends it, compressed if the client accepts gzip; the type and whatever else the answer says are set before. */
export async function sendPrepared(req: Request, res: Response, text: PreparedText): Promise<void> {
  const compressed = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const bytes = compressed ? await text.gzip() : text.plain;
  res.vary('Accept-Encoding');
  if (compressed) res.setHeader('Content-Encoding', 'gzip');
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
