import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Agent, type Dispatcher, errors } from 'undici';
import { OutboundError } from './outbound-error.js';
import type { Target } from './vet-url.js';

export interface OutboundRequest {
  url: string;
  /** GET unless said otherwise; a body needs POST. */
  method?: 'GET' | 'POST';
  /** In lower case. Those that shape the connection (Host, Content-Length, ...) are set by undici. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For everything together: waiting for a turn, name, connection, TLS, request, header block and body. */
  timeoutMs: number;
  /** The most bytes of the body, after decompression. */
  maxBytes: number;
  /**
   * Answers with what came of a body that is longer, ends early or cannot be read; otherwise that is `too_large` or
   * `bad_response`.
   */
  partial?: boolean;
  /** With `json`, an answer 200 is parsed, and is a `bad_response` if it is not JSON. */
  expects?: 'json';
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
  asked: OutboundRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const received = await begin(agent, target, asked, signal);
  const headers = joinHeaders(received.headers);
  const { body, truncated } = await readBody(received.body, headers['content-encoding'], asked);
  return { status: received.statusCode, headers, body, truncated };
}

/**
 * The answer up to its body. A kept connection may close while a request is on its way, which says nothing about the
 * other side; RFC 9110 section 9.2.2 lets a GET be repeated then, which happens once. A POST could arrive twice.
 */
async function begin(
  agent: Agent,
  { origin, path }: Target,
  { method = 'GET', headers: given, body }: OutboundRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const headers = { 'user-agent': 'Fairlead', 'accept-encoding': 'gzip, br', ...given };
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
const mostChunks = 4_096;

/**
 * Reads a body, decompressed, up to a cap. A body that is not read to its end takes its connection with it.
 * @param encoding the Content-Encoding; gzip, br and deflate are decoded
 * @throws OutboundError `too_large` or `bad_response`, or the one with which the stream was destroyed
 */
async function readBody(
  stream: Readable,
  encoding: string | undefined,
  { maxBytes, partial = false }: OutboundRequest,
): Promise<{ body: Buffer; truncated: boolean }> {
  let chunks: Buffer[] = [];
  let keptBytes = 0;
  const decoder = decoderFor(encoding);
  let receivedBytes = 0;
  if (decoder !== undefined) {
    // Without this cap, a compressed body that decompresses to nothing would be read until the time is up.
    const maxReceivedBytes = 2 * maxBytes + slackBytes;
    stream.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > maxReceivedBytes) stream.destroy(tooLarge(maxBytes));
    });
  }
  const decoded: Readable = decoder === undefined ? stream : pipeline(stream, decoder, () => {});
  try {
    for await (const chunk of decoded) {
      chunks.push(chunk);
      keptBytes += chunk.length;
      if (keptBytes > maxBytes) {
        if (!partial) throw tooLarge(maxBytes);
        return { body: Buffer.concat(chunks, maxBytes), truncated: true };
      }
      // A long list of one-byte chunks would take a hundred times their memory.
      if (chunks.length === mostChunks) chunks = [Buffer.concat(chunks)];
    }
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause;
    // A body without bytes is empty, whatever coding was named: 204, 304, Content-Length 0, no chunks.
    const isEmpty = stream.readableEnded && receivedBytes === 0;
    if (!isEmpty && !partial) throw unreadable(cause);
    return { body: Buffer.concat(chunks), truncated: !isEmpty };
  }
  return { body: Buffer.concat(chunks), truncated: false };
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
