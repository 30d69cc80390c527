import type { RequestHandler } from 'express';
import { type Coding, codingFor, encode, hashOf, matchesTag, tagOf } from './negotiation.js';

/** For files whose addresses change with their content. */
export const keptForGood = 'public, max-age=31536000, immutable';
/** For those whose addresses stay: browsers ask each time whether their copy is still current. */
export const askedForEachTime = 'no-cache';

/**
 * Answers with a content that is the same for everyone. It is read on the first request, because most processes never
 * serve it, and compressed once for each coding, because nothing limits how often clients ask for it: to compress
 * /openapi.json for each of them takes 5 ms of a processor.
 */
export function staticAnswer(
  read: () => string | Buffer,
  { type, cacheControl }: { type: string; cacheControl: string },
): RequestHandler {
  let plain: Buffer | undefined;
  let hash: string | undefined;
  const encoded = new Map<Coding, Buffer>();

  return (req, res) => {
    plain ??= Buffer.from(read());
    hash ??= hashOf(plain);
    const coding = codingFor(req.get('accept-encoding'));
    const tag = tagOf(hash, coding);
    res.vary('Accept-Encoding');
    res.setHeader('Cache-Control', cacheControl);
    res.setHeader('ETag', tag);
    if (res.statusCode === 200 && matchesTag(req.get('if-none-match'), tag)) {
      res.status(304).end();
      return;
    }
    const bytes = encoded.get(coding) ?? encode(plain, coding);
    encoded.set(coding, bytes);
    if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
    res.type(type).setHeader('Content-Length', bytes.length);
    res.end(req.method === 'HEAD' ? undefined : bytes);
  };
}

/** Browser features that no page of this service needs. */
const permissions = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The headers of HTML and the files it loads: everything comes from this origin, and nothing is inline. `data:` is for
 * pictures in style sheets.
 */
export const pageHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Permissions-Policy', permissions);
  next();
};
