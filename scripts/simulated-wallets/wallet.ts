import { Keypair, TransactionBuilder } from '@stellar/stellar-base';
import type { OfframpWallet } from '../../contract/offramp/index.js';

/** A wallet that signs whatever it is asked to, as one does whose owner always agrees. */
export interface SimulatedWallet extends OfframpWallet {
  /** `G…` */
  account: string;
}

/** `seed`: 32 bytes. */
export function walletOf(seed: Uint8Array): SimulatedWallet {
  const keys = Keypair.fromRawEd25519Seed(Buffer.from(seed));
  return {
    account: keys.publicKey(),
    getAddress: async () => ({ address: keys.publicKey() }),
    async signTransaction(xdr, { networkPassphrase }) {
      const transaction = TransactionBuilder.fromXDR(xdr, networkPassphrase);
      transaction.sign(keys);
      return { signedTxXdr: transaction.toXDR() };
    },
  };
}
