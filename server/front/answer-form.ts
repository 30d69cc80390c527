import type { ServerResponse } from 'node:http';
import { deprecationHeaderNames } from '../http/deprecation.js';
import { matchesTag } from '../http/entity-tag.js';
import type { RateLimitState } from '../ports.js';
import { type HeaderLines, linesOf, sendReady } from './ready-answer.js';

/** Headers that are the same for every client. All other headers belong to one client and are not cached. */
const ofRoute = [
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  ...deprecationHeaderNames,
];
const ofAnswer = ['Cache-Control', 'Vary'];
const ofBody = ['Content-Type', 'Content-Encoding'];

/**
 * Node writes a text of up to 16 KB, the head included, without allocating memory for it. In a trial, that was faster than
 * two chunks with a body of 5 KB, as fast with 7, and slower with 12.
 */
const shortBytes = 8 * 1024;

/** An answer of the application without the parts that belong to one client, prepared once. */
export interface AnswerForm {
  /** A short body is a text of one character per byte, which is sent together with the headers, as one chunk. */
  body: string | Buffer;
  etag: string | undefined;
  head: HeaderLines;
  headUnmodified: HeaderLines;
}

/** The headers that each answer of a route has, whatever its status. */
export function routeLines(res: ServerResponse): HeaderLines {
  return linesOf(present(res, ofRoute));
}

export function formOf(res: ServerResponse, bytes: Buffer, etag: string | undefined): AnswerForm {
  const ofTag = etag === undefined ? [] : ['ETag', etag];
  const unmodified = [...present(res, [...ofRoute, ...ofAnswer]), ...ofTag];
  const head = linesOf([...unmodified, ...present(res, ofBody), 'Content-Length', bytes.length]);
  const body = bytes.length <= shortBytes ? bytes.toString('latin1') : bytes;
  return { body, etag, head, headUnmodified: linesOf(unmodified) };
}

function present(res: ServerResponse, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = res.getHeader(name);
    return value === undefined ? [] : [name, String(value)];
  });
}

/** Sends the answer after the header lines that belong to this request, and returns the status. */
export function sendForm(
  res: ServerResponse,
  form: AnswerForm,
  own: { lines: HeaderLines; ifNoneMatch: string | undefined },
): 200 | 304 {
  const isUnmodified = form.etag !== undefined && matchesTag(own.ifNoneMatch, form.etag);
  if (isUnmodified) sendReady(res, 304, own.lines + form.headUnmodified, '');
  else sendReady(res, 200, own.lines + form.head, form.body);
  return isUnmodified ? 304 : 200;
}

/** The header lines that belong to one request and its client. */
export function ownLines(requestId: string, limit: RateLimitState | undefined): HeaderLines {
  const ofRequest = `X-Request-Id: ${requestId}\r\n`;
  if (limit === undefined) return ofRequest;
  const ofClient = `X-RateLimit-Limit: ${limit.limit}\r\nX-RateLimit-Remaining: ${limit.remaining}\r\n`;
  return `${ofRequest}${ofClient}X-RateLimit-Reset: ${limit.resetSeconds}\r\n`;
}
