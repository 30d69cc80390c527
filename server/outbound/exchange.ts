import { type Agent, type Dispatcher, errors } from 'undici';
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
 * One request and its whole answer.
 * @throws OutboundError, or the signal's reason, which destroys a body that is being read
 */
export async function exchange(
  agent: Agent,
  target: Target,
  what: Exchange,
  signal: AbortSignal,
): Promise<Answer> {
  const received = await begin(agent, target, what, signal);
  const headers = joinHeaders(received.headers);
  const { body, truncated } = await readBody(received.body, headers['content-encoding'], what);
  return { status: received.statusCode, headers, body, truncated };
}

/**
 * The answer up to its body. A kept connection may close while a request is on its way, which says nothing about the
 * other side; RFC 9110 section 9.2.2 lets a GET be repeated then, which happens once. A POST could arrive twice.
 */
async function begin(
  agent: Agent,
  { origin, path }: Target,
  { method, headers, body }: Exchange,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  for (let mayRepeat = method === 'GET'; ; mayRepeat = false) {
    try {
      return await agent.request({ origin, path, method, headers, body: body ?? null, signal });
    } catch (error) {
      const known = knownFailure(error);
      if (known !== undefined) throw known;
      if (!mayRepeat) {
        throw new OutboundError('unreachable', 'the connection ended before an answer', error);
      }
    }
  }
}

/** Why no answer began, unless the connection just ended. */
function knownFailure(error: unknown): Error | undefined {
  if (error instanceof OutboundError || error instanceof errors.InvalidArgumentError) return error;
  if (error instanceof errors.HeadersOverflowError) {
    return new OutboundError('too_large', 'the header block is too large');
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    // Not kept as the cause: it carries the bytes it failed on, which must not reach a log.
    return new OutboundError('bad_response', error.message);
  }
  return undefined;
}

function joinHeaders(received: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
