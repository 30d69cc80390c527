import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { MediaType } from '../../contract/describe-route.js';
import { codingFor, createEncoder } from './content-coding.js';
import { hashOf, matchesTag, tagOf } from './entity-tag.js';

/** A body of another media type than JSON, which is sent while it is made. */
export interface StreamedBody {
  type: MediaType;
  /** Identifies the content: two bodies of one version are the same, byte for byte. */
  version: string;
  chunks(): AsyncIterable<string | Buffer>;
}

/** Sends an answer of another type than JSON. If it rejects, nothing has been sent yet, or the connection is cut. */
export type SendBody = (req: Request, res: Response) => Promise<void>;

const ownBodies = new WeakMap<object, SendBody>();

/** A stand-in for such an answer, which a handler returns as its body where the contract has an object. */
export function bodySentBy<T extends object>(send: SendBody): T {
  const body = {} as T;
  ownBodies.set(body, send);
  return body;
}

/** How this body is sent; undefined where it is JSON. */
export function senderOf(body: unknown): SendBody | undefined {
  return typeof body === 'object' && body !== null ? ownBodies.get(body) : undefined;
}

/** A body that is streamed. */
export function streamedBody<T extends object>(stream: StreamedBody): T {
  return bodySentBy((req, res) => sendStream(req, res, stream));
}

/** Makes no more of the body than the client reads. If that fails, the connection ends before the body does. */
async function sendStream(req: Request, res: Response, stream: StreamedBody): Promise<void> {
  const coding = codingFor(req.get('accept-encoding'));
  const etag = tagOf(hashOf(stream.version), coding);
  res.vary('Accept-Encoding');
  if (matchesTag(req.get('if-none-match'), etag)) {
    res.setHeader('ETag', etag);
    res.status(304).end();
    return;
  }
  const chunks = stream.chunks()[Symbol.asyncIterator]();
  // Made before any header is set: if the first chunk fails, the client gets an error status.
  const first = req.method === 'HEAD' ? undefined : await chunks.next();
  res.setHeader('ETag', etag);
  res.setHeader('Content-Type', `${stream.type}; charset=utf-8`);
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
  if (first === undefined) res.end();
  else await pipeline(joined(first, chunks), createEncoder(coding), res);
}

async function* joined<T>(first: IteratorResult<T>, others: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; !next.done; next = await others.next()) yield next.value;
  } finally {
    // This also runs if the client disconnects.
    await others.return?.();
  }
}
