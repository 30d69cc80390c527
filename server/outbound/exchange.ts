import type { Dispatcher } from 'undici';
import { type ConnectionPool, StaleConnection } from './connection-pool.js';
import type { Deadline } from './deadline.js';
import { OutboundError } from './outbound-error.js';
import { type BodyLimits, type BodyReader, readBody } from './read-body.js';
import { type Client, errors } from './undici-client.js';
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
 * @throws OutboundError
 */
export async function exchange(
  target: Target,
  what: Exchange,
  pool: ConnectionPool,
  deadline: Deadline,
): Promise<Answer> {
  const idle = pool.takeIdle(target.origin);
  if (idle) {
    try {
      return await send(idle, target, what, pool, deadline);
    } catch (error) {
      if (!mayRepeat(error, what.method) || deadline.hasEnded) throw error;
    }
  }
  const fresh = await pool.open(target, deadline.signal);
  return send(fresh, target, what, pool, deadline);
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
  deadline: Deadline,
): Promise<Answer> {
  let clean = false;
  try {
    const answer = await answerOf(client, target, what, deadline);
    clean = !answer.truncated;
    return answer;
  } finally {
    if (clean) pool.keep(target.origin, client);
    else void client.destroy();
  }
}

/**
 * Takes the answer from undici's parser piece by piece: `client.request()` would put a stream between, which costs
 * processor time (docs/adr/0004-outbound-connector.md has the figures).
 */
function answerOf(client: Client, target: Target, what: Exchange, deadline: Deadline): Promise<Answer> {
  return new Promise((resolve, reject) => {
    deadline.throwIfEnded();
    let request: Dispatcher.DispatchController | undefined;
    let body: BodyReader | undefined;
    const fail = (error: OutboundError) => {
      deadline.onEnd(undefined);
      reject(error);
      request?.abort(error);
    };
    deadline.onEnd(fail);
    client.dispatch(
      { method: what.method, path: target.path, headers: what.headers, body: what.body ?? null },
      {
        onRequestStart(controller) {
          request = controller;
        },
        onResponseStart(controller, status, received) {
          // An interim answer (1xx), before the final one.
          if (status < 200) return;
          const headers = joinHeaders(received);
          body = readBody(headers['content-encoding'], what, {
            done(bytes, truncated) {
              deadline.onEnd(undefined);
              resolve({ status, headers, body: bytes, truncated });
            },
            failed: fail,
            pause: () => controller.pause(),
            resume: () => controller.resume(),
          });
        },
        onResponseData: (_controller, chunk) => body?.take(chunk),
        onResponseEnd: () => body?.end(),
        onResponseError(_controller, cause) {
          if (body === undefined) fail(withoutAnswer(cause));
          else body.broken(cause);
        },
      },
    );
  });
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
