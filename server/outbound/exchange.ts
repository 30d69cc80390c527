import { type Client, errors } from 'undici';
import { type ConnectionPool, StaleConnection } from './connection-pool.js';
import { OutboundError } from './outbound-error.js';
import { type BodyLimits, readBody } from './read-body.js';
import type { Target } from './vet-url.js';

export interface Exchange extends BodyLimits {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

export interface Answer {
  status: number;
  /** Lower-case names; repeated ones joined by a comma. No prototype. */
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/**
 * One request and its whole answer, over an idle connection if there is one. If that turns out to be closed, the
 * request is repeated over a new one, provided that it was never written or is a GET.
 * @throws OutboundError, or the signal's reason
 */
export async function exchange(
  target: Target,
  what: Exchange,
  pool: ConnectionPool,
  signal: AbortSignal,
): Promise<Answer> {
  const idle = pool.takeIdle(target.origin);
  if (idle) {
    try {
      return await send(idle, target, what, pool, signal);
    } catch (error) {
      if (!mayRepeat(error, what.method) || signal.aborted) throw error;
    }
  }
  const fresh = await pool.open(target, signal);
  return send(fresh, target, what, pool, signal);
}

/** Whether a request that failed on an idle connection may be sent again. */
function mayRepeat(error: unknown, method: 'GET' | 'POST'): boolean {
  if (!(error instanceof OutboundError) || error.failure !== 'unreachable') return false;
  return method === 'GET' || error.cause instanceof StaleConnection;
}

async function send(
  client: Client,
  target: Target,
  what: Exchange,
  pool: ConnectionPool,
  signal: AbortSignal,
): Promise<Answer> {
  let clean = false;
  try {
    const response = await client
      .request({
        method: what.method,
        path: target.path,
        headers: what.headers,
        body: what.body ?? null,
        signal,
        highWaterMark: 16 * 1_024,
      })
      .catch((cause: unknown) => {
        signal.throwIfAborted();
        throw withoutAnswer(cause);
      });
    response.body.on('error', () => {});
    const headers = joinHeaders(response.headers);
    const { body, truncated } = await readBody(response.body, headers['content-encoding'], what, signal);
    clean = !truncated;
    return { status: response.statusCode, headers, body, truncated };
  } finally {
    if (clean) pool.keep(target.origin, client);
    else void client.destroy();
  }
}

/** The failure to report when no answer began. */
function withoutAnswer(cause: unknown): OutboundError {
  if (cause instanceof errors.HeadersOverflowError) {
    return new OutboundError('too_large', 'the header block is too large');
  }
  // Not kept as the cause: it carries the bytes it failed on, which must not reach a log.
  if (cause instanceof errors.HTTPParserError || cause instanceof errors.ResponseContentLengthMismatchError) {
    return new OutboundError('bad_response', cause.message);
  }
  return new OutboundError('unreachable', 'the connection ended before an answer', cause);
}

function joinHeaders(received: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
