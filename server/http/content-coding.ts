import { PassThrough, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import Negotiator from 'negotiator';

export type Coding = 'br' | 'gzip' | 'identity';

const preferred: Coding[] = ['br', 'gzip', 'identity'];
const gzipOptions = { level: 5 };
/** At this quality brotli takes as long as gzip and compresses JSON better; at its default it takes fifty times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const gzipLater = promisify(gzip);
const brotliLater = promisify(brotliCompress);

const maxKnown = 256;
/** The codings by header: clients send few different ones, so each is parsed once. */
const known = new Map<string, Coding>();

/** The coding of an answer to this Accept-Encoding: of the codings that the client prefers equally, the smallest one. */
export function codingFor(acceptEncoding: string | undefined): Coding {
  if (acceptEncoding === undefined) return 'identity';
  let coding = known.get(acceptEncoding);
  if (coding === undefined) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    [coding = 'identity'] = negotiator.encodings(preferred, { preferred }) as Coding[];
    if (known.size >= maxKnown) known.clear();
    known.set(acceptEncoding, coding);
  }
  return coding;
}

export function encode(bytes: Buffer, coding: Coding): Buffer {
  if (coding === 'br') return brotliCompressSync(bytes, brotliOptions);
  return coding === 'gzip' ? gzipSync(bytes, gzipOptions) : bytes;
}

/** Encodes in another thread, for large bodies. */
export async function encodeLater(bytes: Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'br') return brotliLater(bytes, brotliOptions);
  return coding === 'gzip' ? gzipLater(bytes, gzipOptions) : bytes;
}

/** An encoder for a streamed body. A window of 256 KB takes a quarter of a megabyte per client instead of sixteen. */
export function createEncoder(coding: Coding): Transform {
  const params = { ...brotliOptions.params, [constants.BROTLI_PARAM_LGWIN]: 18 };
  if (coding === 'br') return createBrotliCompress({ params });
  return coding === 'gzip' ? createGzip(gzipOptions) : new PassThrough();
}
