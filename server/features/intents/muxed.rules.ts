const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const muxedLength = 69;
const plainLength = 56;

/**
 * Whether `sender`, as an anchor's record names it, is `account` (`G…`): itself, or a muxed `M…` over the same key.
 * SEP-23 lays both out as version byte, 32 key bytes, rest: so the key bits of both texts can be compared.
 */
export function isSameAccount(sender: string, account: string): boolean {
  if (sender === account) return true;
  if (sender.length !== muxedLength || account.length !== plainLength || !sender.startsWith('M'))
    return false;
  const senderBits = keyBits(sender);
  return senderBits !== null && senderBits === keyBits(account);
}

/** The 256 bits after the version byte. */
function keyBits(text: string): string | null {
  let bits = '';
  for (const character of text.slice(0, 53)) {
    const value = alphabet.indexOf(character);
    if (value < 0) return null;
    bits += value.toString(2).padStart(5, '0');
  }
  return bits.slice(8, 264);
}
