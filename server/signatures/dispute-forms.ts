import { fromHex, utf8 } from '../../contract/verification/bytes.js';
import { sep53Hash } from '../../contract/verification/sep53.js';

/**
 * The three messages that a dispute's signature may be over: the SEP-53 hash of intentHash, its 64 characters, or, for
 * compatibility only, the 32 bytes they stand for. Throws RangeError unless it is 64 lower-case hex digits.
 */
export function disputeForms(intentHash: string): [sep53: Uint8Array, text: Uint8Array, raw: Uint8Array] {
  const raw = fromHex(intentHash);
  if (raw.length !== 32) throw new RangeError('intentHash must be 64 lower-case hex digits');
  return [sep53Hash(intentHash), utf8(intentHash), raw];
}
