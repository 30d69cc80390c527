import Negotiator from 'negotiator';
import type { MediaType } from '../../contract/describe-route.js';

/** The form that an Accept header asks for, among JSON and these. JSON where it asks for nothing that there is. */
export function mediaTypeFor(
  accept: string | undefined,
  others: readonly MediaType[],
): MediaType | 'application/json' {
  if (accept === undefined) return 'application/json';
  const [type = 'application/json'] = new Negotiator({ headers: { accept } }).mediaTypes([
    'application/json',
    ...others,
  ]);
  return type as MediaType | 'application/json';
}
