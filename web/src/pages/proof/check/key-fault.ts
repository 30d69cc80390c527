import type { Source } from './evidence.js';
import type { Fault } from './step.js';

/** A fault, named for the reader: one who brought the key must not be told to bring it. */
export function keyFault(fault: Fault, source: Source): Fault {
  const isOwn = source === 'reader' || source === 'readerBefore';
  return fault === 'unknown_key' && isOwn ? 'not_own_key' : fault;
}
