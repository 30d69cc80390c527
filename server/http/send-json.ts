import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { RequestHandler, Response } from 'express';

const gzipFromBytes = 1_024;

interface Rendered {
  plain: Buffer;
  plainTag: string;
  gzip: Buffer | undefined;
  gzipTag: string | undefined;
}

/** Bodies that services keep in their caches are serialised once, however often they are sent. */
const renderedBodies = new WeakMap<object, Rendered>();

/** How long a cacheable answer stays fresh. Handlers of `etag` routes call it; others answer `no-store`. */
export function setFreshness(res: Response, seconds: number, options: { public: boolean }): void {
  const maxAge = Math.max(0, Math.floor(seconds));
  res.setHeader('Cache-Control', `${options.public ? 'public' : 'private'}, max-age=${maxAge}`);
}

/**
 * Replaces `res.json`: bytes are rendered once per body object, gzip is used where it is accepted and pays, and
 * answers that set Cache-Control freshness get an ETag per content coding and 304 on a match.
 */
export const sendJson: RequestHandler = (req, res, next) => {
  res.json = (body: unknown) => {
    const rendered = render(body);
    const compress = rendered.gzip !== undefined && acceptsGzip(req.get('accept-encoding'));
    const bytes = compress && rendered.gzip !== undefined ? rendered.gzip : rendered.plain;
    const tag = compress ? rendered.gzipTag : rendered.plainTag;
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.vary('Accept-Encoding');
    if (compress) res.setHeader('Content-Encoding', 'gzip');
    if (isCacheable(res) && tag !== undefined) {
      res.setHeader('ETag', tag);
      if (matches(req.get('if-none-match'), tag)) {
        res.removeHeader('Content-Type');
        res.removeHeader('Content-Encoding');
        res.status(304).end();
        return res;
      }
    } else if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
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
  const plain = Buffer.from(JSON.stringify(body));
  const gzip = plain.length >= gzipFromBytes ? gzipSync(plain, { level: 5 }) : undefined;
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const rendered = {
    plain,
    plainTag: `"${hash}"`,
    gzip,
    gzipTag: gzip === undefined ? undefined : `"${hash}-gz"`,
  };
  if (typeof body === 'object' && body !== null) renderedBodies.set(body, rendered);
  return rendered;
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
