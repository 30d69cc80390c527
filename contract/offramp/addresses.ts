import { MuxedAccount, StrKey } from '@stellar/stellar-base';

/** True for a well-formed `G…`. */
export function isAccount(text: string): boolean {
  return StrKey.isValidEd25519PublicKey(text);
}

/** True for a well-formed `M…`. */
export function isMuxed(text: string): boolean {
  return StrKey.isValidMed25519PublicKey(text);
}

/** The `G…` that a `G…` or `M…` pays into. */
export function baseAccount(address: string): string {
  return isMuxed(address) ? MuxedAccount.fromAddress(address, '0').baseAccount().accountId() : address;
}
