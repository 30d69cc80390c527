import type { RequestHandler } from 'express';

/** Browser features that no page of this service needs. */
const permissions = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

/**
 * The headers of HTML and the files it loads: everything comes from this origin, and nothing is inline. `data:` is for
 * pictures in style sheets.
 */
export function pageHeaders(): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('X-Frame-Options', 'DENY');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    res.setHeader('Permissions-Policy', permissions);
    next();
  };
}

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
