import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { RequestHandler, Response } from 'express';

const gzipFromBytes = 1_024;

/** Compressed and hashed on demand only: not every client accepts gzip, and not every answer has an ETag. */
interface Rendered {
  plain: Buffer;
  gzip?: Buffer;
  hash?: string;
}

/** A body that a service keeps in its cache is serialised once, however often it is sent. */
const renderedBodies = new WeakMap<object, Rendered>();

/** How long a cacheable answer stays fresh. Handlers of `etag` routes call it; others answer `no-store`. */
export function setFreshness(res: Response, seconds: number, options: { public: boolean }): void {
  const maxAge = Math.max(0, Math.floor(seconds));
  res.setHeader('Cache-Control', `${options.public ? 'public' : 'private'}, max-age=${maxAge}`);
}

/**
 * Replaces `res.json`: renders a body object once, compresses it if the client accepts gzip and it is large enough, and
 * gives answers with a Cache-Control max-age an ETag per content coding, and 304 on a match. Express does neither the
 * first two nor ETags per coding, so this stays by hand.
 */
export const sendJson: RequestHandler = (req, res, next) => {
  res.json = (body: unknown) => {
    const rendered = render(body);
    const compress = rendered.plain.length >= gzipFromBytes && acceptsGzip(req.get('accept-encoding'));
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.vary('Accept-Encoding');
    if (compress) res.setHeader('Content-Encoding', 'gzip');
    if (isCacheable(res)) {
      const tag = compress ? `"${hashOf(rendered)}-gz"` : `"${hashOf(rendered)}"`;
      res.setHeader('ETag', tag);
      if (matches(req.get('if-none-match'), tag)) {
        res.removeHeader('Content-Type');
        res.removeHeader('Content-Encoding');
        res.status(304).end();
        return res;
      }
    } else if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
    const bytes = compress ? gzipOf(rendered) : rendered.plain;
    res.setHeader('Content-Length', bytes.length);
    res.end(req.method === 'HEAD' ? undefined : bytes);
    return res;
  };
  next();
};

function isCacheable(res: Response): boolean {
  return res.statusCode === 200 && /max-age/.test(String(res.getHeader('Cache-Control') ?? ''));
}

function render(body: unknown): Rendered {
  const known = typeof body === 'object' && body !== null ? renderedBodies.get(body) : undefined;
  if (known !== undefined) return known;
  const rendered = { plain: Buffer.from(JSON.stringify(body)) };
  if (typeof body === 'object' && body !== null) renderedBodies.set(body, rendered);
  return rendered;
}

function gzipOf(rendered: Rendered): Buffer {
  rendered.gzip ??= gzipSync(rendered.plain, { level: 5 });
  return rendered.gzip;
}

function hashOf(rendered: Rendered): string {
  rendered.hash ??= createHash('sha256').update(rendered.plain).digest('base64url').slice(0, 22);
  return rendered.hash;
}

function acceptsGzip(header: string | undefined): boolean {
  const entry = (header ?? '').split(',').find((part) => /^\s*(gzip|\*)\s*(;|$)/i.test(part));
  return entry !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(entry);
}

function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === tag);
}
