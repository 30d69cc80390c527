import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Agent, type Dispatcher, errors } from 'undici';
import { OutboundError } from './outbound-error.js';
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

/** Bytes that a compressed body may have beyond twice its cap, because an ordinary chunk exceeds a tiny cap. */
const slackBytes = 64 * 1_024;

export interface BodyLimits {
  /** Counted after decompression. */
  maxBytes: number;
  onOverflow: 'error' | 'truncate';
  onBroken: 'error' | 'take';
}

/**
 * Reads a body, decompressed, up to a cap. A body that is not read to its end takes its connection with it.
 * @param encoding the Content-Encoding; gzip, br and deflate are decoded
 * @throws OutboundError `too_large` or `bad_response`, or the one with which the stream was destroyed
 */
export async function readBody(
  stream: Readable,
  encoding: string | undefined,
  limits: BodyLimits,
): Promise<{ body: Buffer; truncated: boolean }> {
  const kept = new GrowingBuffer(limits.maxBytes);
  const decoder = decoderFor(encoding);
  let receivedBytes = 0;
  if (decoder !== undefined) {
    // Without this cap, a compressed body that decompresses to nothing would be read until the time is up.
    const maxReceivedBytes = 2 * limits.maxBytes + slackBytes;
    stream.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > maxReceivedBytes) stream.destroy(tooLarge(limits.maxBytes));
    });
  }
  const decoded: Readable = decoder === undefined ? stream : pipeline(stream, decoder, () => {});
  try {
    for await (const chunk of decoded) {
      if (kept.append(chunk)) continue;
      if (limits.onOverflow === 'error') throw tooLarge(limits.maxBytes);
      return { body: kept.bytes(), truncated: true };
    }
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause;
    // A body without bytes is empty, whatever coding was named: 204, 304, Content-Length 0, no chunks.
    const isEmpty = stream.readableEnded && receivedBytes === 0;
    if (!isEmpty && limits.onBroken === 'error') throw unreadable(cause);
    return { body: kept.bytes(), truncated: !isEmpty };
  }
  return { body: kept.bytes(), truncated: false };
}

/**
 * RFC 9110 section 8.4.1; `deflate` is the zlib format, as written there. A body in any other coding is left as it is,
 * as browsers do: `utf-8` occurs in the wild, and stacks of codings as an attack.
 */
function decoderFor(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      return undefined;
  }
}

function tooLarge(maxBytes: number): OutboundError {
  return new OutboundError('too_large', `the body is over ${maxBytes} bytes`);
}

function unreadable(cause: unknown): OutboundError {
  // Not the parser's error itself: it carries the bytes it failed on, which must not reach a log.
  const kept = cause instanceof errors.HTTPParserError ? cause.message : cause;
  return new OutboundError('bad_response', 'the body could not be read to its end', kept);
}

/** Copies chunks into one buffer: a list of one-byte chunks would take a hundred times the memory. */
class GrowingBuffer {
  readonly #capacity: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Keeps what fits; false if that was not all of it. */
  append(chunk: Buffer): boolean {
    const needed = Math.min(this.#length + chunk.length, this.#capacity);
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#capacity, Math.max(needed, 2 * this.#bytes.length)));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    const fits = chunk.length <= needed - this.#length;
    chunk.copy(this.#bytes, this.#length, 0, needed - this.#length);
    this.#length = needed;
    return fits;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
