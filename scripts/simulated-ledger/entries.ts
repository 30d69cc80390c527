import { FeeBumpTransaction, Keypair, StrKey, type Transaction, xdr } from '@stellar/stellar-base';
import { Decimal } from 'decimal.js';
import type { assetOf } from './payments.js';

const stroopsPerUnit = 10_000_000;

/** A transaction in a closed ledger or the next one. */
export interface Entry {
  /** The hash; for a fee bump, that of the outer transaction. */
  hash: string;
  innerHash: string | null;
  ledger: number;
  /** Its place in the ledger, from 1. */
  order: number;
  closedAtMs: number;
  successful: boolean;
  transaction: AnyTransaction;
  transfers: Transfer[];
  /** Base64 XDR. */
  result: string;
}

export type AnyTransaction = Transaction | FeeBumpTransaction;

/** The transaction whose operations are carried out. */
export function innerOf(transaction: AnyTransaction): Transaction {
  return transaction instanceof FeeBumpTransaction ? transaction.innerTransaction : transaction;
}

/** `G…` of a `G…` or `M…`. */
export function baseAccount(address: string): string {
  if (!StrKey.isValidMed25519PublicKey(address)) return address;
  return StrKey.encodeEd25519PublicKey(StrKey.decodeMed25519PublicKey(address).subarray(0, 32));
}

/** Whether the source signed it: the simulated ledger knows no other signers. */
export function isSigned(transaction: AnyTransaction): boolean {
  const inner = innerOf(transaction);
  const key = Keypair.fromPublicKey(baseAccount(inner.source));
  return inner.signatures.some((each) => key.verify(inner.hash(), each.signature()));
}

export type Transfer = ReturnType<typeof transferOf>;

/** The transfer of an operation; throws where it is no payment. */
function transferOf(operation: Transaction['operations'][number], source: string) {
  const from = operation.source ?? source;
  switch (operation.type) {
    case 'payment': {
      const { destination: to, asset, amount } = operation;
      return { kind: 'payment', from, to, asset, amount } as const;
    }
    case 'pathPaymentStrictReceive': {
      const { destination: to, destAsset: asset, destAmount: amount } = operation;
      return { kind: 'path_payment_strict_receive', from, to, asset, amount } as const;
    }
    case 'pathPaymentStrictSend': {
      const { destination: to, destAsset: asset, sendAmount: amount } = operation;
      return { kind: 'path_payment_strict_send', from, to, asset, amount } as const;
    }
    default:
      throw new Error(`the simulated ledger knows no ${operation.type}`);
  }
}

export function transfersOf(transaction: AnyTransaction): Transfer[] {
  const { operations, source } = innerOf(transaction);
  return operations.map((operation) => transferOf(operation, source));
}

function resultOf(transfer: Transfer, succeeds: boolean): xdr.OperationResultTr {
  const { OperationResultTr: Result, PaymentResult } = xdr;
  if (transfer.kind === 'payment')
    return Result.payment(succeeds ? PaymentResult.paymentSuccess() : PaymentResult.paymentUnderfunded());
  const { to, asset, amount } = transfer;
  const last = new xdr.SimplePaymentResult({
    destination: Keypair.fromPublicKey(baseAccount(to)).xdrAccountId(),
    asset: asset.toXDRObject(),
    amount: xdr.Int64.fromString(new Decimal(amount).times(stroopsPerUnit).toFixed(0)),
  });
  if (transfer.kind === 'path_payment_strict_receive') {
    const { PathPaymentStrictReceiveResult: Receive, PathPaymentStrictReceiveResultSuccess: Success } = xdr;
    const success = () => Receive.pathPaymentStrictReceiveSuccess(new Success({ offers: [], last }));
    return Result.pathPaymentStrictReceive(
      succeeds ? success() : Receive.pathPaymentStrictReceiveUnderfunded(),
    );
  }
  const { PathPaymentStrictSendResult: Send, PathPaymentStrictSendResultSuccess: Success } = xdr;
  const success = () => Send.pathPaymentStrictSendSuccess(new Success({ offers: [], last }));
  return Result.pathPaymentStrictSend(succeeds ? success() : Send.pathPaymentStrictSendUnderfunded());
}

/** The result of a transaction whose operations are all payments: all succeed, or none has any effect. */
export function encodedResult(transaction: AnyTransaction, succeeds: boolean): string {
  const results = transfersOf(transaction).map((transfer) =>
    xdr.OperationResult.opInner(resultOf(transfer, succeeds)),
  );
  const { InnerTransactionResultResult: Inner, TransactionResultResult: Result } = xdr;
  if (!(transaction instanceof FeeBumpTransaction))
    return encoded('100', succeeds ? Result.txSuccess(results) : Result.txFailed(results));
  const pair = new xdr.InnerTransactionResultPair({
    transactionHash: transaction.innerTransaction.hash(),
    result: new xdr.InnerTransactionResult({
      feeCharged: xdr.Int64.fromString('100'),
      result: succeeds ? Inner.txSuccess(results) : Inner.txFailed(results),
      ext: new xdr.InnerTransactionResultExt(0),
    }),
  });
  return encoded('100', succeeds ? Result.txFeeBumpInnerSuccess(pair) : Result.txFeeBumpInnerFailed(pair));
}

function encoded(fee: string, result: xdr.TransactionResultResult): string {
  const feeCharged = xdr.Int64.fromString(fee);
  return new xdr.TransactionResult({ feeCharged, result, ext: new xdr.TransactionResultExt(0) }).toXDR(
    'base64',
  );
}

/** Why no ledger takes a transaction, its signatures apart. */
export type Rejection = 'txBadSeq' | 'txTooLate' | 'txTooEarly';

/** The result of a transaction that no ledger took. */
export function encodedRejection(code: Rejection | 'txBadAuth'): string {
  return encoded('0', xdr.TransactionResultResult[code]());
}

/** Code and issuer in Horizon's form. */
export function horizonAsset(asset: ReturnType<typeof assetOf>) {
  if (asset.isNative()) return { asset_type: 'native' };
  const code = asset.getCode();
  return {
    asset_type: code.length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12',
    asset_code: code,
    asset_issuer: asset.getIssuer(),
  };
}
