import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { MediaType } from '../../contract/describe-route.js';

export type Coding = 'br' | 'gzip' | 'identity';

const codings: Coding[] = ['br', 'gzip', 'identity'];
const gzipOptions = { level: 5 };
/** At this quality brotli takes as long as gzip and compresses JSON better; at its default it takes fifty times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** The media types in which some operation answers, the usual one first. */
const mediaTypes = ['application/json', 'text/csv'] as const satisfies ('application/json' | MediaType)[];

/** Clients send few different texts in these headers, so each is parsed once. */
const known = { max: 256 };
const codingsOf = new LRUCache<string, Coding>({
  ...known,
  memoMethod(acceptEncoding) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    const [coding = 'identity'] = negotiator.encodings(codings, { preferred: codings }) as Coding[];
    return coding;
  },
});
const mediaTypesOf = new LRUCache<string, string>({
  ...known,
  memoMethod(accept) {
    const [type = 'application/json'] = new Negotiator({ headers: { accept } }).mediaTypes([...mediaTypes]);
    return type;
  },
});

/** The coding of an answer to this Accept-Encoding: of the codings that the client prefers equally, the smallest one. */
export function codingFor(acceptEncoding: string | undefined): Coding {
  return acceptEncoding === undefined ? 'identity' : codingsOf.memo(acceptEncoding);
}

/** The media type of answers that an Accept header prefers; JSON if it accepts none of them. */
export function mediaTypeOf(accept: string | undefined): string {
  return accept === undefined ? 'application/json' : mediaTypesOf.memo(accept);
}

export function encode(bytes: Buffer, coding: Coding): Buffer {
  if (coding === 'br') return brotliCompressSync(bytes, brotliOptions);
  return coding === 'gzip' ? gzipSync(bytes, gzipOptions) : bytes;
}

const tagSuffix = { identity: '', gzip: '-gz', br: '-br' } as const satisfies Record<Coding, string>;

/** A hash to make tags of: equal for equal content. */
export function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

/** The ETag of a content in a coding. */
export function tagOf(hash: string, coding: Coding): string {
  return `"${hash}${tagSuffix[coding]}"`;
}

/** Whether an If-None-Match names this tag; a weak tag is as good as a strong one here (RFC 9110 §13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return header.split(',').some((part) => opaque(part.trim()) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
