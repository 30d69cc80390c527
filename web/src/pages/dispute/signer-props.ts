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
