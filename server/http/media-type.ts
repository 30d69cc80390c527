import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { MediaType } from '../../contract/describe-route.js';

/** Those in which some operation answers, the usual one first. */
const ofAnswers = ['application/json', 'text/csv'] as const satisfies ('application/json' | MediaType)[];

/** Clients send few different texts in this header, so each is parsed once. */
const known = new LRUCache<string, string>({
  max: 256,
  memoMethod: (accept) => preferred(accept, ofAnswers),
});

/** The media type of answers that an Accept header prefers; JSON if it accepts none of them. */
export function mediaTypeOf(accept: string | undefined): string {
  return accept === undefined ? 'application/json' : known.memo(accept);
}

/** Whether an Accept header prefers HTML to JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  return accept !== undefined && preferred(accept, ['application/json', 'text/html']) === 'text/html';
}

function preferred(accept: string, available: readonly string[]): string {
  const [type = 'application/json'] = new Negotiator({ headers: { accept } }).mediaTypes([...available]);
  return type;
}
