/**
 * Whether an anchor that writes `named` means this asset (SEP-38 form). Anchors also write `USDC:G…` or `NGN`, and the
 * native asset as `XLM`; an example of SEP-38 ends with a stray `&`. An issuer or a scheme that is named has to be the right one.
 */
export function isAsset(named: string, expected: string): boolean {
  const [scheme = '', code = '', issuer] = expected.split(':');
  const parts = named.trim().replace(/&$/, '').split(':');
  const [toldCode = '', ...rest] = parts[0]?.toLowerCase() === scheme ? parts.slice(1) : parts;
  const isFiat = scheme === 'iso4217';
  const sameCode = isFiat ? toldCode.toUpperCase() === code : toldCode === code;
  const isNative = code === 'native' && toldCode === 'XLM';
  return (sameCode || isNative) && (rest.length === 0 || (rest.length === 1 && rest[0] === issuer));
}
