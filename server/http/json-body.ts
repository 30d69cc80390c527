import express, { type Request, type RequestHandler } from 'express';
import { ApiError } from '../errors.js';
import { requestLimits } from './malformed-request.js';

const bodiless = new Set(['GET', 'HEAD', 'DELETE']);
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes, since `express.json` would replace what is not UTF-8, and a signature may be over them. */
const readBytes = express.raw({ type: () => true, limit: requestLimits.bodyBytes, inflate: false });
const rawBodies = new WeakMap<object, Buffer>();

/** The exact bytes of a parsed body, for checking a signature over it. */
export function rawBody(req: Request): Buffer {
  return rawBodies.get(req) ?? Buffer.alloc(0);
}

/**
 * Reads a JSON body: 415 unless it is declared `application/json` in UTF-8; 413 over 16 KB (at once if its length is
 * declared); 400 MALFORMED_JSON if it does not parse, nests deeper than 16 levels or has a prototype key. A missing
 * body reads as `{}` whatever the content type; the body of a GET or DELETE is not read.
 */
export const jsonBody: RequestHandler = (req, res, next) => {
  const refuse = (error: unknown) => {
    // Otherwise the unread rest of the body would be parsed as the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    next(error);
  };
  if (bodiless.has(req.method)) {
    req.body = {};
    return next();
  }
  // The reader would wait for the end of the body.
  if (Number(req.get('content-length')) > requestLimits.bodyBytes) return refuse(tooLarge());
  readBytes(req, res, (error?: unknown) => {
    try {
      if (error !== undefined) throw error;
      req.body = bodyOf(req);
    } catch (fault) {
      return refuse(fault);
    }
    next();
  });
};

export function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', 'The body is larger than 16 KB.');
}

function refuseMediaType(req: Request): void {
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(req.get('content-type') ?? ''))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json in UTF-8.');
  if (!['identity', undefined].includes(req.get('content-encoding')))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent uncompressed.');
}

function bodyOf(req: Request): unknown {
  const bytes: unknown = req.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return {};
  refuseMediaType(req);
  rawBodies.set(req, bytes);
  const body = parse(bytes);
  refuseHostileShape(body);
  return body;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new ApiError('MALFORMED_JSON', 'The body is not valid JSON in UTF-8.');
  }
}

function refuseHostileShape(body: unknown): void {
  let level = [body].filter(isObject);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > requestLimits.bodyDepth) {
      throw new ApiError(
        'MALFORMED_JSON',
        `The body is nested deeper than ${requestLimits.bodyDepth} levels.`,
      );
    }
    const entries = level.flatMap((node) => Object.entries(node));
    if (entries.some(([key]) => refusedKeys.has(key))) {
      throw new ApiError('MALFORMED_JSON', 'The body has a key that is not allowed.');
    }
    level = entries.map(([, value]) => value).filter(isObject);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
