import type { IncomingMessage, ServerResponse } from 'node:http';
import { deprecationHeaderNames } from '../http/deprecation.js';
import { matchesTag } from '../http/entity-tag.js';
import type { RateLimitState } from '../ports.js';

/** Headers that are the same for every client. All other headers belong to one client and are not cached. */
const ofRoute = [
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  ...deprecationHeaderNames,
];
const ofAnswer = ['Cache-Control', 'Vary'];
const ofBody = ['Content-Type', 'Content-Encoding'];

/** Above this, copying a body behind the headers costs more than a second chunk. */
const shortBytes = 2 * 1024;

/** Header names and values alternating, as `writeHead` takes them. */
export type HeaderList = readonly string[];

/** An answer of the application without the parts that belong to one client, prepared once. */
export interface AnswerForm {
  /** A short body is a text of one character per byte: Node writes it together with the headers, as one chunk. */
  body: string | Buffer;
  etag: string | undefined;
  head: HeaderList;
  headUnmodified: HeaderList;
}

/** The headers that each answer of a route has, whatever its status. */
export function routeHeaders(res: ServerResponse): HeaderList {
  return present(res, ofRoute);
}

export function formOf(res: ServerResponse, bytes: Buffer, etag: string | undefined): AnswerForm {
  const headUnmodified = [
    ...routeHeaders(res),
    ...present(res, ofAnswer),
    ...(etag === undefined ? [] : ['ETag', etag]),
  ];
  const head = [...headUnmodified, ...present(res, ofBody), 'Content-Length', String(bytes.length)];
  const body = bytes.length <= shortBytes ? bytes.toString('latin1') : bytes;
  return { body, etag, head, headUnmodified };
}

function present(res: ServerResponse, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = res.getHeader(name);
    return value === undefined ? [] : [name, String(value)];
  });
}

/** Sends the answer with the headers that belong to this request, and returns the status. */
export function sendForm(
  req: IncomingMessage,
  res: ServerResponse,
  form: AnswerForm,
  own: { headers: HeaderList; ifNoneMatch: string | undefined },
): 200 | 304 {
  if (form.etag !== undefined && matchesTag(own.ifNoneMatch, form.etag)) {
    res.writeHead(304, own.headers.concat(form.headUnmodified)).end();
    return 304;
  }
  res.writeHead(200, own.headers.concat(form.head));
  res.end(req.method === 'HEAD' ? undefined : form.body, 'latin1');
  return 200;
}

/** The headers that belong to one request and its client. */
export function ownHeaders(requestId: string, limit: RateLimitState | undefined): HeaderList {
  if (limit === undefined) return ['X-Request-Id', requestId];
  return [
    'X-Request-Id',
    requestId,
    'X-RateLimit-Limit',
    String(limit.limit),
    'X-RateLimit-Remaining',
    String(limit.remaining),
    'X-RateLimit-Reset',
    String(limit.resetSeconds),
  ];
}
