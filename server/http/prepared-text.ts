import type { Request, Response } from 'express';
import { type Coding, codingFor, encodeLater } from './content-coding.js';
import { hashOf, matchesTag, tagOf } from './entity-tag.js';

/** A text that is sent to many clients. */
export interface PreparedText {
  plain: Buffer;
  /** Compresses the text in another thread on the first call, and keeps the result. */
  encoded(coding: Coding): Promise<Buffer>;
  /** What its ETags are made of. */
  hash(): string;
}

export function prepareText(text: string | Buffer): PreparedText {
  const plain = Buffer.from(text);
  const encoded = new Map<Coding, Promise<Buffer>>();
  let hash: string | undefined;
  return {
    plain,
    encoded(coding) {
      let bytes = encoded.get(coding);
      if (bytes === undefined) {
        bytes = encodeLater(plain, coding);
        encoded.set(coding, bytes);
      }
      return bytes;
    },
    hash() {
      hash ??= hashOf(plain);
      return hash;
    },
  };
}

/** Sends the text, compressed if the client accepts that; the caller sets the type and all other headers before. */
export async function sendPrepared(req: Request, res: Response, text: PreparedText): Promise<void> {
  const coding = codingFor(req.get('accept-encoding'));
  const bytes = await text.encoded(coding);
  res.vary('Accept-Encoding');
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** Like `sendPrepared`, with an ETag per coding, and 304 if the client already has this text. */
export async function sendTagged(req: Request, res: Response, text: PreparedText): Promise<void> {
  const tag = tagOf(text.hash(), codingFor(req.get('accept-encoding')));
  res.setHeader('ETag', tag);
  if (!matchesTag(req.get('if-none-match'), tag)) return sendPrepared(req, res, text);
  res.vary('Accept-Encoding');
  res.removeHeader('Content-Type');
  res.status(304).end();
}
