import { Account, Asset, Keypair, Memo, Operation, TransactionBuilder, xdr } from '@stellar/stellar-base';
import { toHex } from '../verification/bytes.js';
import type { IntentTerms } from '../verification/intent-hash.js';
import type { OfframpAnchor, OfframpPayment, PaymentInstructions } from './state.js';

/** How long a payment can be carried out. A lost payment is built again only after this time. */
const validitySeconds = 300;

/** The payment as one operation, unsigned. Its hash is known before anybody signs it. */
export function buildPayment(of: {
  terms: IntentTerms;
  anchor: OfframpAnchor;
  instructions: PaymentInstructions;
  /** The sequence number of the transaction itself. */
  sequence: string;
  maxFeeStroops: string;
  networkPassphrase: string;
  /** When the latest ledger closed, in epoch seconds: the wallet's own clock may be wrong. */
  builtAt: number;
}): OfframpPayment {
  const { terms, anchor, instructions, sequence, networkPassphrase, builtAt } = of;
  const validUntil = builtAt + validitySeconds;
  // The builder adds one to the sequence number of the account.
  const account = new Account(terms.account, String(BigInt(sequence) - 1n));
  const { assetCode, assetIssuer } = anchor;
  const asset = assetIssuer === null ? Asset.native() : new Asset(assetCode, assetIssuer);
  const builder = new TransactionBuilder(account, {
    fee: of.maxFeeStroops,
    networkPassphrase,
    timebounds: { minTime: 0, maxTime: validUntil },
  });
  builder.addOperation(
    Operation.payment({ destination: instructions.destination, asset, amount: instructions.amount }),
  );
  const { memo } = instructions;
  if (memo !== null) builder.addMemo(memoOf(memo));
  const transaction = builder.build();
  return {
    hash: toHex(transaction.hash()),
    envelope: transaction.toXDR(),
    signed: false,
    builtAt,
    validUntil,
  };
}

function memoOf({ type, value }: NonNullable<PaymentInstructions['memo']>): Memo {
  if (type === 'text') return Memo.text(value);
  return type === 'id' ? Memo.id(value) : Memo.hash(value);
}

/** The key under which a ledger keeps an account, as `getLedgerEntries` takes it. */
export function accountKey(account: string): string {
  const accountId = Keypair.fromPublicKey(account).xdrAccountId();
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXDR('base64');
}

/** The sequence number in the entry of an account; undefined for anything else. */
export function sequenceOf(entry: string): string | undefined {
  try {
    return xdr.LedgerEntryData.fromXDR(entry, 'base64').account().seqNum().toString();
  } catch {
    // The decoder throws errors of many kinds.
    return undefined;
  }
}

/** The code of a result in base64 XDR, such as `txBadSeq`; `unknown` if it cannot be read. */
export function resultCodeOf(result: unknown): string {
  try {
    return xdr.TransactionResult.fromXDR(String(result), 'base64').result().switch().name;
  } catch {
    // The decoder throws errors of many kinds.
    return 'unknown';
  }
}
