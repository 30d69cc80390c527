import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errors } from 'undici';
import { OutboundError } from './outbound-error.js';

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
