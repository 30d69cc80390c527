import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errors } from 'undici';
import { OutboundError } from './outbound-error.js';

/** Allowed to a compressed body beyond twice its cap, because an ordinary chunk exceeds a tiny cap. */
const slackBytes = 64 * 1_024;

export interface BodyLimits {
  /** Counted after decompression. */
  maxBytes: number;
  onOverflow: 'error' | 'truncate';
}

/**
 * A body, decompressed, up to a cap; memory stays under about twice the cap, whatever the sizes of its chunks.
 * @param source is read to its end, or destroyed
 * @param encoding the Content-Encoding; gzip, br and deflate are decoded
 * @throws OutboundError `too_large` or `bad_response`, or the signal's reason
 */
export async function readBody(
  source: Readable,
  encoding: string | undefined,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<{ body: Buffer; truncated: boolean }> {
  const kept = new GrowingBuffer(limits.maxBytes);
  const compressed = { bytes: 0 };
  const maxCompressedBytes = 2 * limits.maxBytes + slackBytes;
  const collect = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      if (!kept.append(chunk)) throw tooLarge(limits.maxBytes);
    }
  };
  const decoder = decoderFor(encoding);
  try {
    if (decoder === undefined) await collect(source);
    else await pipeline(source, capped(compressed, maxCompressedBytes), decoder, collect, { signal });
  } catch (cause) {
    // A body without bytes is empty, whatever coding was named: 204, 304, Content-Length 0, no chunks.
    const empty = source.readableEnded && decoder !== undefined && compressed.bytes === 0;
    source.destroy();
    signal.throwIfAborted();
    const overflow = cause instanceof OutboundError;
    if (overflow && limits.onOverflow === 'truncate') return { body: kept.bytes(), truncated: true };
    if (!empty) throw overflow ? cause : unreadable(cause);
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

/** Without this, compressed bytes that decompress to nothing would never reach the cap. */
function capped(compressed: { bytes: number }, maxBytes: number) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      compressed.bytes += chunk.length;
      if (compressed.bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
}

function unreadable(cause: unknown): OutboundError {
  // Not the parser's error itself: it carries the bytes it failed on, which must not reach a log.
  const kept = cause instanceof errors.HTTPParserError ? cause.message : cause;
  return new OutboundError('bad_response', 'the body could not be read to its end', kept);
}

function tooLarge(maxBytes: number): OutboundError {
  return new OutboundError('too_large', `the body is over ${maxBytes} bytes`);
}

/** Copies chunks into one buffer: a list of one-byte chunks would take a hundred times the memory. */
class GrowingBuffer {
  readonly #capacity: number;
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#bytes = Buffer.allocUnsafe(Math.min(capacity, 4_096));
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
