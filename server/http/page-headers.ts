import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Browser features that no page of this service needs. */
const unusedFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
];
const permissions = unusedFeatures.map((feature) => `${feature}=()`).join(', ');

/**
 * The headers of HTML and the files it loads: everything comes from this origin, and only the styles of
 * `inlineStylesOf` are inline, which are allowed by their hashes. `data:` is for pictures in style sheets. Only
 * `framed` paths may be shown in a frame of other origins.
 */
export function pageHeaders(
  options: { inlineStylesOf?: string; framed?: (path: string) => boolean } = {},
): RequestHandler {
  const { inlineStylesOf = '', framed = () => false } = options;
  const unframed = policy(inlineStylesOf, "'none'");
  const framable = policy(inlineStylesOf, '*');
  return (req, res, next) => {
    const mayBeFramed = framed(req.path);
    res.setHeader('Content-Security-Policy', mayBeFramed ? framable : unframed);
    if (!mayBeFramed) res.setHeader('X-Frame-Options', 'DENY');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    res.setHeader('Permissions-Policy', permissions);
    next();
  };
}

function policy(inlineStylesOf: string, ancestors: string): string {
  const hashes = [...inlineStylesOf.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${hashes.join('')}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}
