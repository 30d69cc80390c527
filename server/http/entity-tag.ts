import { createHash } from 'node:crypto';
import type { Coding } from './content-coding.js';

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
