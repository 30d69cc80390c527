import type { Request, RequestHandler, Response } from 'express';
import type { Topic } from '../cache/changes.js';
import { type Coding, codingFor, encode } from './content-coding.js';
import { hashOf, matchesTag, tagOf } from './entity-tag.js';
import { senderOf } from './streamed-body.js';

const compressFromBytes = 1_024;

/** A body as bytes, compressed and hashed on demand: not every client accepts a coding, nor has every answer an ETag. */
interface Rendered {
  plain: Buffer;
  encoded: Partial<Record<Coding, Buffer>>;
  hash?: string;
}

/** A body that a service keeps in its cache is serialised once, however often it is sent. */
const renderedBodies = new WeakMap<object, Rendered>();

export interface Freshness {
  /** How long clients may use the answer without asking again. */
  seconds: number;
  /** Whether these seconds count from an instant of the past, so that the next request gets fewer. */
  countsDown?: boolean;
  public: boolean;
  /** The topics whose changes make the answer outdated at once. */
  voidedBy: readonly Topic[];
}

/** An answer that may be cached and given to other clients with the same request. */
export interface KeepableAnswer {
  /** The whole body, even if this client got 304 or sent HEAD. */
  bytes: Buffer;
  etag: string | undefined;
  /** How long the answer stays the same, as far as its handler knows. */
  sameForMs: number;
  voidedBy: readonly Topic[];
}

/** A body that was rendered before and is sent byte for byte. */
export function renderedBody<T extends object>(plain: Buffer): T {
  const body = {} as T;
  renderedBodies.set(body, { plain, encoded: {} });
  return body;
}

export type KeepAnswer = (req: Request, res: Response, answer: KeepableAnswer) => void;

/** Sets how long clients may use the answer. This alone does not put it into the response cache. */
export function setMaxAge(res: Response, freshness: Pick<Freshness, 'seconds' | 'public'>): number {
  const maxAge = Math.max(0, Math.floor(freshness.seconds));
  res.setHeader('Cache-Control', `${freshness.public ? 'public' : 'private'}, max-age=${maxAge}`);
  return maxAge;
}

/** Sets how long a cacheable answer stays fresh. Handlers of `etag` routes call it; others answer `no-store`. */
export function setFreshness(res: Response, { seconds, countsDown = false, ...rest }: Freshness): void {
  const maxAge = setMaxAge(res, { seconds, public: rest.public });
  // The time until max-age is another number.
  const sameForMs = countsDown && seconds > 0 ? (seconds - maxAge) * 1_000 : Number.POSITIVE_INFINITY;
  setKeeping(res, { sameForMs, voidedBy: rest.voidedBy });
}

/** Lets the response cache keep an answer without freshness, too: others get the same, but clients may not reuse it. */
export function setKeeping(res: Response, keeping: Pick<KeepableAnswer, 'sameForMs' | 'voidedBy'>): void {
  res.locals.keeping = keeping;
}

/**
 * Replaces `res.json`: renders a body object once, compresses it if the client accepts that and it is large enough, and
 * gives answers with a Cache-Control max-age an ETag per content coding, and 304 on a match. Express does neither the
 * first two nor ETags per coding. `keep` is called with every 200 whose handler allows it.
 */
export function sendJson({ keep }: { keep: KeepAnswer }): RequestHandler {
  return (req, res, next) => {
    res.json = (body: unknown) => {
      const send = senderOf(body);
      if (send !== undefined) {
        send(req, res).catch(next);
        return res;
      }
      const rendered = render(body);
      const accepted = codingFor(req.get('accept-encoding'));
      const coding = rendered.plain.length >= compressFromBytes ? accepted : 'identity';
      res.setHeader('Content-Type', 'application/json; charset=utf-8');
      res.vary('Accept-Encoding');
      if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
      const etag = isCacheable(res) ? tagOf(hashOfRendered(rendered), coding) : undefined;
      if (etag !== undefined) res.setHeader('ETag', etag);
      else if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
      const bytes = encodedAs(rendered, coding);
      const { keeping } = res.locals;
      if (keeping !== undefined && res.statusCode === 200) keep(req, res, { ...keeping, bytes, etag });
      if (etag !== undefined && matchesTag(req.get('if-none-match'), etag)) {
        res.removeHeader('Content-Type');
        res.removeHeader('Content-Encoding');
        res.status(304).end();
        return res;
      }
      res.setHeader('Content-Length', bytes.length);
      res.end(req.method === 'HEAD' ? undefined : bytes);
      return res;
    };
    next();
  };
}

function isCacheable(res: Response): boolean {
  return res.statusCode === 200 && /max-age/.test(String(res.getHeader('Cache-Control') ?? ''));
}

function render(body: unknown): Rendered {
  const known = typeof body === 'object' && body !== null ? renderedBodies.get(body) : undefined;
  if (known !== undefined) return known;
  const rendered = { plain: Buffer.from(JSON.stringify(body)), encoded: {} };
  if (typeof body === 'object' && body !== null) renderedBodies.set(body, rendered);
  return rendered;
}

function encodedAs(rendered: Rendered, coding: Coding): Buffer {
  rendered.encoded[coding] ??= encode(rendered.plain, coding);
  return rendered.encoded[coding];
}

function hashOfRendered(rendered: Rendered): string {
  rendered.hash ??= hashOf(rendered.plain);
  return rendered.hash;
}
