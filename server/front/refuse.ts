import type { ServerResponse } from 'node:http';
import { bodyOf } from '../http/error-mapper.js';
import { rateLimited } from '../http/rate-limit.js';
import { type HeaderLines, linesOf, sendReady } from './ready-answer.js';

interface Refusal {
  lines: HeaderLines;
  /** One character per byte. */
  body: string;
}

/** By their seconds, which are few. */
const refusals = new Map<number, Refusal>();

/** Sends the same refusal as the application, after the header lines of the request and the route. */
export function refuse(res: ServerResponse, lines: HeaderLines, retryAfterSeconds: number): void {
  let refusal = refusals.get(retryAfterSeconds);
  if (refusal === undefined) {
    refusal = refusalOf(retryAfterSeconds);
    refusals.set(retryAfterSeconds, refusal);
  }
  sendReady(res, 429, lines + refusal.lines, refusal.body);
}

function refusalOf(retryAfterSeconds: number): Refusal {
  const body = Buffer.from(JSON.stringify(bodyOf(rateLimited(retryAfterSeconds))));
  const lines = linesOf([
    'Cache-Control',
    'no-store',
    'Retry-After',
    retryAfterSeconds,
    'Content-Type',
    'application/json; charset=utf-8',
    'Vary',
    'Accept-Encoding',
    'Content-Length',
    body.length,
  ]);
  return { lines, body: body.toString('latin1') };
}
