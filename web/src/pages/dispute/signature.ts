export interface Signature {
  publicKey: string;
  signature: string;
}

/** What every way of signing is handed. `signer` is the one key that the service takes here. */
export interface SignerProps {
  intentHash: string;
  signer: string;
  onSign: (signature: Signature) => void;
}

/**
 * The base64 of a signature as wallets give it: SEP-43 says hex, Freighter answers base64, its older versions bytes.
 * Undefined where it is not 64 bytes in one of these forms.
 */
export function readSignature(given: unknown): string | undefined {
  if (given instanceof Uint8Array) return given.length === 64 ? toBase64(given) : undefined;
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  if (/^[0-9a-f]{128}$/i.test(text))
    return toBase64(Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)));
  return /^[A-Za-z0-9+/]{85}[AQgw]==$/.test(text) ? text : undefined;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
