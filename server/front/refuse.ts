import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf } from '../http/error-mapper.js';
import { rateLimited } from '../http/rate-limit.js';
import type { HeaderList } from './answer-form.js';

/** The bodies of refusals by their seconds, which are few. Node writes a text body together with the headers. */
const bodies = new Map<number, string>();

/** Sends the same refusal as the application. */
export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  { headers, retryAfterSeconds }: { headers: HeaderList; retryAfterSeconds: number },
): void {
  let body = bodies.get(retryAfterSeconds);
  if (body === undefined) {
    body = JSON.stringify(bodyOf(rateLimited(retryAfterSeconds)));
    bodies.set(retryAfterSeconds, body);
  }
  res.writeHead(429, [
    ...headers,
    'Cache-Control',
    'no-store',
    'Retry-After',
    String(retryAfterSeconds),
    'Content-Type',
    'application/json; charset=utf-8',
    'Vary',
    'Accept-Encoding',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]);
  res.end(req.method === 'HEAD' ? undefined : body, 'utf8');
}
