import { type FeeBumpTransaction, type Transaction, TransactionBuilder } from '@stellar/stellar-base';
import { fromBase64, toHex } from '../verification/bytes.js';
import { verifyEd25519 } from '../verification/ed25519.js';
import { sep53Hash } from '../verification/sign-dispute.js';
import { decodePublicKey } from '../verification/strkey.js';
import { Stop } from './errors.js';
import { untilAborted } from './exchange.js';
import type { Run } from './options.js';

const maxEnvelopeChars = 16_384;

/** The account of the wallet. */
export async function addressOf(run: Run): Promise<string> {
  return ask(run, () => run.wallet.getAddress(), 'address');
}

/**
 * Has the wallet sign this transaction. The result must be the same transaction, compared by hash, and carry a signature by
 * the account's own key.
 */
export async function signByWallet(run: Run, envelope: string, address: string): Promise<string> {
  const { wallet, networkPassphrase } = run;
  const signed = await ask(
    run,
    () => wallet.signTransaction(envelope, { networkPassphrase, address }),
    'signedTxXdr',
  );
  const [asked, given] = [envelope, signed].map((each) => readEnvelope(each, networkPassphrase));
  const hash = given?.hash();
  if (given === undefined || hash === undefined || asked === undefined || toHex(asked.hash()) !== toHex(hash))
    throw new Stop('wallet_changed_transaction');
  const key = decodePublicKey(address);
  if (!given.signatures.some((each) => verifyEd25519(each.signature(), hash, key))) {
    throw new Stop('signature_missing', { detail: address });
  }
  return signed;
}

/** The account's signature over the hash of the intent, in base64; undefined from a wallet that cannot or will not sign it. */
export async function signIntent(run: Run, intentHash: string, address: string): Promise<string | undefined> {
  const { wallet, networkPassphrase } = run;
  if (wallet.signMessage === undefined) return undefined;
  const sign = wallet.signMessage.bind(wallet, intentHash, { networkPassphrase, address });
  try {
    const signature = await ask(run, sign, 'signedMessage');
    const isOfAccount = verifyEd25519(fromBase64(signature), sep53Hash(intentHash), decodePublicKey(address));
    return isOfAccount ? signature : undefined;
  } catch (error) {
    if (run.signal?.aborted) throw error;
    return undefined;
  }
}

/** Wallets refuse by rejecting, or by resolving to an `error`, to an Error, or to nothing (SEP-43). */
async function ask<Member extends string>(
  run: Run,
  call: () => Promise<Record<Member, string> & { error?: unknown }>,
  member: Member,
): Promise<string> {
  let answer: Partial<Record<Member, unknown>> & { error?: unknown };
  try {
    answer = (await untilAborted(run, call())) ?? {};
  } catch (cause) {
    if (run.signal?.aborted) throw cause;
    throw new Stop('wallet_refused', { cause });
  }
  const { [member]: value, error } = answer;
  if (typeof value === 'string' && value !== '' && !error) return value;
  throw new Stop('wallet_refused', { cause: error || answer });
}

/** Reads an envelope of bounded size; undefined for anything else. */
export function readEnvelope(
  envelope: string,
  networkPassphrase: string,
): Transaction | FeeBumpTransaction | undefined {
  if (envelope.length > maxEnvelopeChars) return undefined;
  try {
    return TransactionBuilder.fromXDR(envelope, networkPassphrase);
  } catch {
    // The decoder throws errors of many kinds; a text that it cannot read is no envelope.
    return undefined;
  }
}
