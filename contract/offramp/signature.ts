import { toHex } from '../verification/bytes.js';
import { readEnvelope } from './challenge.js';
import { Stop } from './errors.js';
import type { Run } from './options.js';

/** Has the wallet sign this transaction. What comes back must be the same transaction: its hash decides. */
export async function signByWallet(run: Run, envelope: string, address: string): Promise<string> {
  const { wallet, networkPassphrase } = run;
  let signed: string;
  try {
    ({ signedTxXdr: signed } = await wallet.signTransaction(envelope, { networkPassphrase, address }));
  } catch (cause) {
    throw new Stop('wallet_refused', { cause });
  }
  const [asked, given] = [envelope, String(signed)].map((each) => readEnvelope(each, networkPassphrase));
  const same = asked !== undefined && given !== undefined && toHex(asked.hash()) === toHex(given.hash());
  if (!same) throw new Stop('wallet_changed_transaction');
  return signed;
}
