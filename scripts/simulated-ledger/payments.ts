import {
  Account,
  Asset,
  type FeeBumpTransaction,
  Memo,
  MuxedAccount,
  Operation,
  StrKey,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-base';

/** The passphrase of the simulated network: no transaction of it is valid anywhere else. */
export const simulatedNetwork = 'Fairlead simulated ledger';

/** The issuer of Circle's USDC on the public network, as an identifier only: nothing here touches a network. */
export const usdcIssuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
export const usdc = `stellar:USDC:${usdcIssuer}`;

/** One payment of a simulated transaction. */
export interface SimulatedPayment {
  /** `G…` or `M…`; the source of the transaction where absent. */
  from?: string | undefined;
  /** `G…` or `M…`. */
  to: string;
  amount: string;
  /** SEP-38 form; the simulated USDC where absent. */
  asset?: string | undefined;
  /** `payment` where absent. A path payment sends native units. */
  kind?: 'payment' | 'path_payment_strict_receive' | 'path_payment_strict_send' | undefined;
}

export interface SimulatedTransaction {
  /** `G…` or `M…`. */
  source: string;
  payments: readonly SimulatedPayment[];
  memo?: { type: 'text' | 'id' | 'hash' | 'return'; value: string } | undefined;
  /** The account (`G…`) that pays the fee by a fee bump. */
  feeSource?: string | undefined;
  /** Makes two transactions with the same payments differ. */
  sequence: string;
}

/** The asset of a `stellar:CODE:ISSUER`, or native. */
export function assetOf(text: string): Asset {
  const [, code = '', issuer] = text.split(':');
  return issuer === undefined ? Asset.native() : new Asset(code, issuer);
}

/** Hash and return memos are 64 hex digits or base64. */
function memoOf({ type, value }: NonNullable<SimulatedTransaction['memo']>): Memo {
  if (type === 'text') return Memo.text(value);
  if (type === 'id') return Memo.id(value);
  const hex = /^[0-9a-f]{64}$/.test(value) ? value : Buffer.from(value, 'base64').toString('hex');
  return type === 'hash' ? Memo.hash(hex) : Memo.return(hex);
}

function sourceOf(address: string, sequence: string): Account | MuxedAccount {
  return StrKey.isValidMed25519PublicKey(address)
    ? MuxedAccount.fromAddress(address, sequence)
    : new Account(address, sequence);
}

function operationOf({ from, to, amount, asset = usdc, kind = 'payment' }: SimulatedPayment) {
  const source = from === undefined ? {} : { source: from };
  const paid = assetOf(asset);
  if (kind === 'payment') return Operation.payment({ destination: to, asset: paid, amount, ...source });
  const path = { sendAsset: Asset.native(), destination: to, destAsset: paid, path: [], ...source };
  // The simulated market delivers one for one; the least amount is lower, as wallets set it.
  return kind === 'path_payment_strict_receive'
    ? Operation.pathPaymentStrictReceive({ ...path, sendMax: '1000000', destAmount: amount })
    : Operation.pathPaymentStrictSend({ ...path, sendAmount: amount, destMin: '0.0000001' });
}

/** Builds a transaction, unsigned. */
export function buildTransaction(of: SimulatedTransaction): Transaction | FeeBumpTransaction {
  const builder = new TransactionBuilder(sourceOf(of.source, of.sequence), {
    fee: '100',
    networkPassphrase: simulatedNetwork,
  });
  for (const payment of of.payments) builder.addOperation(operationOf(payment));
  if (of.memo !== undefined) builder.addMemo(memoOf(of.memo));
  const transaction = builder.setTimeout(0).build();
  if (of.feeSource === undefined) return transaction;
  return TransactionBuilder.buildFeeBumpTransaction(of.feeSource, '200', transaction, simulatedNetwork);
}
