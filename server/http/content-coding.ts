import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

export type Coding = 'br' | 'gzip' | 'identity';

const preferred: Coding[] = ['br', 'gzip', 'identity'];
const gzipOptions = { level: 5 };
/** At this quality brotli takes as long as gzip and compresses JSON better; at its default it takes fifty times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Clients send few different texts in this header, so each is parsed once. */
const known = new LRUCache<string, Coding>({
  max: 256,
  memoMethod(acceptEncoding) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    const [coding = 'identity'] = negotiator.encodings(preferred, { preferred }) as Coding[];
    return coding;
  },
});

/** The coding of an answer to this Accept-Encoding: of the codings that the client prefers equally, the smallest one. */
export function codingFor(acceptEncoding: string | undefined): Coding {
  return acceptEncoding === undefined ? 'identity' : known.memo(acceptEncoding);
}

export function encode(bytes: Buffer, coding: Coding): Buffer {
  if (coding === 'br') return brotliCompressSync(bytes, brotliOptions);
  return coding === 'gzip' ? gzipSync(bytes, gzipOptions) : bytes;
}
