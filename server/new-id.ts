import { randomFillSync } from 'node:crypto';
import type { NewId } from './ports.js';

const idBytes = 16;
const idsAtOnce = 256;

/** Makes ids of 32 random hex digits. Bytes for many ids are fetched at once, since a call costs more than the bytes. */
export function createNewId(): NewId {
  const bytes = Buffer.alloc(idBytes * idsAtOnce);
  let next = bytes.length;
  return () => {
    if (next === bytes.length) {
      randomFillSync(bytes);
      next = 0;
    }
    next += idBytes;
    return bytes.toString('hex', next - idBytes, next);
  };
}
