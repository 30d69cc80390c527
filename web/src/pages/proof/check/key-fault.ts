import type { Source } from './evidence.js';
import type { Fault } from './step.js';

/** Renames a fault for the reader: a reader who brought the key must not be told to bring it. */
export function keyFault(fault: Fault, source: Source): Fault {
  const isOwn = source === 'reader' || source === 'readerBefore';
  return fault === 'unknown_key' && isOwn ? 'not_own_key' : fault;
}
