import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { ApiError, invalidRequest } from '../errors.js';

/** What a request may contain, and how long it may take to arrive. */
export const requestLimits = {
  /** Until the header block is complete. */
  headersTimeoutMs: 5_000,
  /** Until the body is complete. */
  requestTimeoutMs: 10_000,
  /** Without a byte in either direction: while an answer is awaited, made or read, and between two requests. */
  silentMs: 20_000,
  headerBytes: 8 * 1024,
  /** Characters of path and query. */
  targetLength: 2_048,
  bodyBytes: 16 * 1024,
  /** Levels of objects and arrays in a JSON body. */
  bodyDepth: 16,
};

/**
 * Headers that may be given only once: of several, Node keeps the first, or joins them, while a proxy before the
 * service may have used another. The parser itself refuses a second Content-Length, and one beside Transfer-Encoding.
 */
const onceOnly = ['host', 'authorization', 'x-admin-key', 'content-type'];

const faultyHost = /[\s,/\\?#@]/;

/**
 * Whether it is a GET or HEAD of HTTP/1.1 without a body and with no header given twice, which nothing in this file would
 * refuse but for its target.
 */
export function isPlainRead({ method, httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || httpVersion !== '1.1') return false;
  // Node joins or drops what is given twice, except for set-cookie, which no client sends.
  if (Object.keys(headers).length * 2 !== rawHeaders.length) return false;
  const hasBody = headers['content-length'] ?? headers['transfer-encoding'] ?? headers.expect;
  return hasBody === undefined && headers.host !== undefined && !faultyHost.test(headers.host);
}

/** Why the request is ambiguous, so that no path of the service may accept it; undefined if it is not. */
export function ambiguityOf(req: IncomingMessage): ApiError | undefined {
  const names = req.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  for (const name of onceOnly) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      return invalidRequest([{ path: `header.${name}`, message: 'is given more than once' }]);
  }
  // Two Host headers that an intermediary joined look like this.
  if (faultyHost.test(req.headers.host ?? ''))
    return invalidRequest([{ path: 'header.host', message: 'must be one host with an optional port' }]);
  // RFC 9112 §6.1: the framing of such a message is faulty, since HTTP/1.0 does not have this header.
  if (req.httpVersion === '1.0' && req.headers['transfer-encoding'] !== undefined)
    return invalidRequest([{ path: 'header.transfer-encoding', message: 'is not known in HTTP/1.0' }]);
  return undefined;
}

/** Why a request outside the operational paths is refused. Operational paths are only checked for ambiguity. */
export function refusalOf(req: Request): ApiError | undefined {
  const target = req.originalUrl;
  if (target.length > requestLimits.targetLength)
    return new ApiError('URI_TOO_LONG', 'The request target is longer than 2 KB.');
  if (req.httpVersion === '1.1' && req.headers.host === undefined)
    return invalidRequest([{ path: 'header.host', message: 'is required in HTTP/1.1' }]);
  const ambiguity = ambiguityOf(req);
  if (ambiguity !== undefined) return ambiguity;
  try {
    decodeURIComponent(target);
    return undefined;
  } catch {
    return invalidRequest([{ path: 'path', message: 'must be validly percent-encoded UTF-8' }]);
  }
}
