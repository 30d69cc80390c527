import type { Request, RequestHandler, Response } from 'express';
import type { MediaType } from '../../contract/describe-route.js';
import { codingFor, encode, hashOf, matchesTag, tagOf } from './negotiation.js';

const compressFromBytes = 1_024;

export interface Freshness {
  /** How long clients may use the answer without asking again. */
  seconds: number;
  /** Whether these seconds count from an instant of the past, so that the next request gets fewer. */
  countsDown?: boolean;
  public: boolean;
}

/** A 200 whose handler says how long it is fresh, as bytes in the coding that its headers name. */
export interface CacheableAnswer {
  /** The whole body, even if this client got 304 or sent HEAD. */
  bytes: Buffer;
  etag: string;
  /** How long the same answer would be made again, as far as its handler knows. */
  sameForMs: number;
}

/** Notes that the making of an answer begins. The function that is returned takes what was made. */
export type BeginAnswer = (req: Request, res: Response) => (answer: CacheableAnswer) => void;

/** Sends an answer of another type than JSON. If it rejects, nothing has been sent yet, or the connection is cut. */
export type SendBody = (req: Request, res: Response) => Promise<void>;

const ownBodies = new WeakMap<object, SendBody>();

/** A stand-in for such an answer, which a handler returns as its body where the contract has an object. */
export function bodySentBy<T extends object>(send: SendBody): T {
  const body = {} as T;
  ownBodies.set(body, send);
  return body;
}

/** A body of another media type than JSON. */
export function textBody<T extends object>(type: MediaType, text: string): T {
  return bodySentBy(async (req, res) => sendBytes(req, res, Buffer.from(text), type));
}

/** How this body is sent; undefined where it is JSON. */
export function senderOf(body: unknown): SendBody | undefined {
  return typeof body === 'object' && body !== null ? ownBodies.get(body) : undefined;
}

/**
 * Replaces `res.json`, which knows no ETag per coding and no compression: a body of a kilobyte or more is compressed if the
 * client accepts that, and an answer that stays fresh has an ETag, and is 304 on a match.
 */
export function sendJson({ begin }: { begin: BeginAnswer }): RequestHandler {
  return (req, res, next) => {
    res.locals.made = begin(req, res);
    res.json = (body: unknown) => {
      const send = senderOf(body);
      if (send === undefined) sendBytes(req, res, Buffer.from(JSON.stringify(body)));
      else send(req, res).catch(next);
      return res;
    };
    next();
  };
}

function sendBytes(req: Request, res: Response, plain: Buffer, type = 'application/json'): void {
  const accepted = codingFor(req.get('accept-encoding'));
  const coding = plain.length >= compressFromBytes ? accepted : 'identity';
  const bytes = encode(plain, coding);
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.vary('Accept-Encoding');
  if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
  const { sameForMs } = res.locals;
  if (res.statusCode === 200 && sameForMs !== undefined) {
    const etag = tagOf(hashOf(plain), coding);
    res.setHeader('ETag', etag);
    res.locals.made({ bytes, etag, sameForMs });
    if (matchesTag(req.get('if-none-match'), etag)) {
      res.removeHeader('Content-Type');
      res.removeHeader('Content-Encoding');
      res.status(304).end();
      return;
    }
  } else if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** A 200 that stays fresh for this long. What handlers of `etag` routes return; all other answers are `no-store`. */
export function freshAnswer<T>(res: Response, freshness: Freshness, body: T) {
  const { seconds, countsDown = false } = freshness;
  const maxAge = Math.max(0, Math.floor(seconds));
  res.setHeader('Cache-Control', `${freshness.public ? 'public' : 'private'}, max-age=${maxAge}`);
  // The time until max-age is another number, or until the answer is no longer fresh.
  res.locals.sameForMs = (countsDown ? seconds - maxAge : seconds) * 1_000;
  return { status: 200 as const, body };
}
