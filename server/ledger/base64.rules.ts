/** The bytes of standard base64, padded or not; null for anything else, which Node would read as far as it can. */
export function fromBase64(text: string): Uint8Array | null {
  const unpadded = text.replace(/={0,2}$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(unpadded) || unpadded.length % 4 === 1) return null;
  return Buffer.from(unpadded, 'base64');
}
