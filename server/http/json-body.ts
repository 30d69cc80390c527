import type { Request, RequestHandler } from 'express';
import readRawBody from 'raw-body';
import { ApiError } from '../errors.js';
import { requestLimits } from './request-limits.js';

const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

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
export const jsonBody: RequestHandler = async (req, res, next) => {
  try {
    req.body = hasBody(req) ? await readJson(req) : {};
    next();
  } catch (error) {
    // Otherwise the unread rest of the body would be parsed as the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    next(error);
  }
};

function hasBody(req: Request): boolean {
  if (['GET', 'HEAD', 'DELETE'].includes(req.method)) return false;
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

async function readJson(req: Request): Promise<unknown> {
  const fault = mediaTypeFault(req);
  // Whether a chunked body is empty is known only at its end.
  if (fault !== undefined && req.headers['transfer-encoding'] === undefined) throw fault;
  const bytes = await readRawBody(req, {
    limit: requestLimits.bodyBytes,
    length: req.get('content-length') ?? null,
  });
  if (bytes.length === 0) return {};
  if (fault !== undefined) throw fault;
  rawBodies.set(req, bytes);
  const body = parse(bytes);
  refuseHostileShape(body);
  return body;
}

function mediaTypeFault(req: Request): ApiError | undefined {
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(req.get('content-type') ?? ''))
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json in UTF-8.');
  if (!['identity', undefined].includes(req.get('content-encoding')))
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent uncompressed.');
  return undefined;
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
