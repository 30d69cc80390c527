import { fromBase32 } from '../../../../contract/verification/bytes.js';
import { encodePublicKey } from '../../../../contract/verification/strkey.js';

const plainForm = /^G[A-Z2-7]{55}$/;
const muxedForm = /^M[A-Z2-7]{68}$/;

/** The `G…` account of a sender, which may be a muxed `M…` address; null for anything else, such as a bank account. */
export function accountOf(sender: string): string | null {
  if (plainForm.test(sender)) return sender;
  if (!muxedForm.test(sender)) return null;
  // SEP-23 lays out both kinds as a version byte, 32 key bytes and the rest. 53 characters hold the first 33 bytes.
  const bytes = fromBase32(sender.slice(0, 53));
  return bytes === null ? null : encodePublicKey(bytes.subarray(1));
}

/** The 64-bit id of a muxed account (`M…`); null for anything else. */
export function muxedIdOf(address: string): string | null {
  if (!muxedForm.test(address)) return null;
  // The version byte, the key, 8 bytes of id and 2 of a checksum: 43 bytes in 69 characters.
  const bytes = fromBase32(address);
  return bytes === null ? null : Buffer.from(bytes).readBigUInt64BE(33).toString();
}
