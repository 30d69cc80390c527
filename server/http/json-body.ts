import express, { type Request, type RequestHandler } from 'express';
import { ApiError } from '../errors.js';

const maxBodyBytes = 16 * 1024;
const maxDepth = 16;
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

const rawBodies = new WeakMap<object, Buffer>();

/** The exact bytes of a parsed body: what a signature over the body is checked against. */
export function rawBody(req: Request): Buffer {
  return rawBodies.get(req) ?? Buffer.alloc(0);
}

const parse = express.json({
  limit: maxBodyBytes,
  strict: true,
  inflate: false,
  type: () => true,
  verify: (req, _res, bytes) => rawBodies.set(req, bytes),
});

/**
 * Reads a JSON body: 415 unless it is declared `application/json`, 413 over 16 KB, 400 MALFORMED_JSON where it
 * does not parse, nests deeper than 16 or carries a prototype key. No body at all is `{}` for any content type.
 */
export const jsonBody: RequestHandler = (req, res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && !isJson(req.get('content-type'))) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.');
  }
  if (!hasBody) {
    req.body = {};
    next();
    return;
  }
  parse(req, res, (error?: unknown) => {
    if (error !== undefined) return next(error);
    try {
      refuseHostileShape(req.body);
      next();
    } catch (refusal) {
      next(refusal);
    }
  });
};

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

function refuseHostileShape(body: unknown): void {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw new ApiError('MALFORMED_JSON', `The body is nested deeper than ${maxDepth} levels.`);
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue;
      for (const [key, value] of Object.entries(node)) {
        if (refusedKeys.has(key))
          throw new ApiError('MALFORMED_JSON', 'The body has a key that is not allowed.');
        if (typeof value === 'object' && value !== null) next.push(value);
      }
    }
    level = next;
  }
}
