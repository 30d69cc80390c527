import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';
import { OutboundError } from './outbound-error.js';
import { errors } from './undici-client.js';

/** Bytes that a compressed body may have beyond twice its cap, because an ordinary chunk exceeds a tiny cap. */
const slackBytes = 64 * 1_024;

export interface BodyLimits {
  /** Counted after decompression. */
  maxBytes: number;
  onOverflow: 'error' | 'truncate';
  onBroken: 'error' | 'take';
}

/** Takes a body as it arrives. */
export interface BodyReader {
  take(chunk: Buffer): void;
  /** The body has arrived in full. */
  end(): void;
  /** The connection failed before the body had arrived in full. */
  broken(cause: unknown): void;
}

export interface BodyReceiver {
  done(body: Buffer, truncated: boolean): void;
  /** @param error `too_large` or `bad_response` */
  failed(error: OutboundError): void;
  /** Asks that no more be taken, until `resume`. */
  pause(): void;
  resume(): void;
}

/**
 * Reads a body, decompressed, up to a cap; memory stays under about twice the cap, whatever the sizes of its chunks.
 * Calls `done` or `failed` of the receiver once, and may call `failed` again after either.
 * @param encoding the Content-Encoding; gzip, br and deflate are decoded
 */
export function readBody(
  encoding: string | undefined,
  limits: BodyLimits,
  receiver: BodyReceiver,
): BodyReader {
  const kept = new GrowingBuffer(limits.maxBytes);
  const whole = () => receiver.done(kept.bytes(), false);
  const tooMuch = () => {
    if (limits.onOverflow === 'truncate') receiver.done(kept.bytes(), true);
    else receiver.failed(tooLarge(limits.maxBytes));
  };
  const broken = (cause: unknown) => {
    if (limits.onBroken === 'take') receiver.done(kept.bytes(), true);
    else receiver.failed(unreadable(cause));
  };
  const decoder = decoderFor(encoding);
  if (decoder === undefined) {
    const take = (chunk: Buffer) => {
      if (!kept.append(chunk)) tooMuch();
    };
    return { take, end: whole, broken };
  }

  // Without this cap, a compressed body that decompresses to nothing would never reach the cap of the body.
  const maxCompressedBytes = 2 * limits.maxBytes + slackBytes;
  let compressedBytes = 0;
  const overflow = () => {
    decoder.destroy();
    tooMuch();
  };
  decoder.on('data', (chunk: Buffer) => {
    if (!kept.append(chunk)) overflow();
  });
  decoder.on('drain', receiver.resume);
  let hasArrived = false;
  // A decoder ends with its format, and ignores what follows. More of it may still arrive, so the connection cannot be reused.
  decoder.on('end', () =>
    hasArrived && decoder.bytesWritten === compressedBytes
      ? whole()
      : broken(new Error('the body goes on after its compressed part')),
  );
  decoder.on('error', broken);
  return {
    take(chunk) {
      if (decoder.destroyed) return;
      compressedBytes += chunk.length;
      if (compressedBytes > maxCompressedBytes) overflow();
      else if (!decoder.write(chunk)) receiver.pause();
    },
    end() {
      // A body without bytes is empty, whatever coding was named: 204, 304, Content-Length 0, no chunks.
      hasArrived = true;
      if (compressedBytes > 0) decoder.end();
      else {
        decoder.destroy();
        whole();
      }
    },
    broken(cause) {
      decoder.destroy();
      broken(cause);
    },
  };
}

/**
 * RFC 9110 section 8.4.1; `deflate` is the zlib format, as written there. A body in any other coding is left as it is,
 * as browsers do: `utf-8` occurs in the wild, and stacks of codings as an attack.
 */
function decoderFor(encoding: string | undefined): Gunzip | BrotliDecompress | Inflate | undefined {
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

function unreadable(cause: unknown): OutboundError {
  // Not the parser's error itself: it carries the bytes it failed on, which must not reach a log.
  const kept = cause instanceof errors.HTTPParserError ? cause.message : cause;
  return new OutboundError('bad_response', 'the body could not be read to its end', kept);
}

function tooLarge(maxBytes: number): OutboundError {
  return new OutboundError('too_large', `the body is over ${maxBytes} bytes`);
}

const noBytes = Buffer.alloc(0);

/** Copies chunks into one buffer: a list of one-byte chunks would take a hundred times the memory. */
class GrowingBuffer {
  readonly #capacity: number;
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#bytes = noBytes;
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
