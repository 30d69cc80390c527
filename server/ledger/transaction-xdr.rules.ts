import {
  type Asset,
  FeeBumpTransaction,
  type Memo,
  MuxedAccount,
  Networks,
  type Operation,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-base';
import { Decimal } from 'decimal.js';
import {
  type LedgerMemo,
  type LedgerPayment,
  type LedgerTransaction,
  operationIdOf,
  type PaymentKind,
} from './ledger-transaction.rules.js';

/** Length in base64. A transaction with 100 operations has some 20 KB, one that calls a contract 130 KB. */
const maxEnvelope = 256 * 1_024;
/** Length in base64. A path payment names every offer that it crossed, 100 bytes each. */
const maxResult = 1_024 * 1_024;
const stroopsPerUnit = 10_000_000;
/** The decoder wants a network, which matters only for the hash of the transaction. */
const network = Networks.PUBLIC;

export class UnreadableXdr extends Error {
  override readonly name = 'UnreadableXdr';
}

/** A transaction of a closed ledger, as Stellar RPC returns it: base64 XDR, its ledger and its order in that ledger. */
export interface EncodedTransaction {
  envelope: string;
  result: string;
  ledger: number;
  order: number;
}

/** Decodes the relevant parts of a transaction. Throws UnreadableXdr. */
export function readTransactionXdr(
  encoded: EncodedTransaction,
): Pick<LedgerTransaction, 'source' | 'memo' | 'payments'> & { successful: boolean } {
  if (encoded.envelope.length > maxEnvelope || encoded.result.length > maxResult) {
    throw new UnreadableXdr('the transaction is larger than any real one');
  }
  try {
    const outer = TransactionBuilder.fromXDR(encoded.envelope, network);
    const { source, memo, operations } = outer instanceof FeeBumpTransaction ? outer.innerTransaction : outer;
    const results = operationResults(xdr.TransactionResult.fromXDR(encoded.result, 'base64'));
    const payments = results === null ? [] : paymentsOf({ source, operations, results }, encoded);
    return { source: partyOf(source).account, memo: memoOf(memo), payments, successful: results !== null };
  } catch (error) {
    // The decoder throws errors of many kinds for bytes that are no transaction.
    throw new UnreadableXdr('the transaction cannot be decoded', { cause: error });
  }
}

/** One result for each operation; null where the transaction failed. */
function operationResults(result: xdr.TransactionResult): xdr.OperationResult[] | null {
  const outcome = result.result();
  switch (outcome.switch().name) {
    case 'txSuccess':
      return outcome.results();
    case 'txFeeBumpInnerSuccess':
      return outcome.innerResultPair().result().result().results();
    default:
      return null;
  }
}

function paymentsOf(
  of: { source: string; operations: Operation[]; results: xdr.OperationResult[] },
  { ledger, order }: EncodedTransaction,
): LedgerPayment[] {
  return of.operations.flatMap((operation, place) => {
    const delivered = deliveryOf(operation, of.results[place]);
    if (delivered === null) return [];
    const from = partyOf(operation.source ?? of.source);
    const to = partyOf(delivered.destination);
    const position = place + 1;
    return [
      {
        operationId: operationIdOf({ ledger, order, position }),
        position,
        kind: delivered.kind,
        from: from.account,
        fromMuxedId: from.muxedId,
        to: to.account,
        toMuxedId: to.muxedId,
        asset: assetOf(delivered.asset),
        amount: new Decimal(delivered.amount).toFixed(),
      },
    ];
  });
}

interface Delivery {
  kind: PaymentKind;
  destination: string;
  asset: Asset;
  amount: string;
}

/** Null for an operation that is no payment. */
function deliveryOf(operation: Operation, result: xdr.OperationResult | undefined): Delivery | null {
  switch (operation.type) {
    case 'payment':
      return { ...operation, kind: 'payment' };
    case 'pathPaymentStrictReceive': {
      const { destination, destAsset: asset, destAmount: amount } = operation;
      return { kind: 'path_payment_strict_receive', destination, asset, amount };
    }
    case 'pathPaymentStrictSend': {
      if (result === undefined) throw new UnreadableXdr('an operation has no result');
      // The envelope names only the least amount; the result says what arrived.
      const stroops = result.tr().pathPaymentStrictSendResult().success().last().amount();
      const amount = new Decimal(stroops.toString()).div(stroopsPerUnit).toString();
      const { destination, destAsset: asset } = operation;
      return { kind: 'path_payment_strict_send', destination, asset, amount };
    }
    default:
      return null;
  }
}

/** The base account of an address, and the id of a muxed one. */
function partyOf(address: string): { account: string; muxedId: string | null } {
  if (address.startsWith('G')) return { account: address, muxedId: null };
  const muxed = MuxedAccount.fromAddress(address, '0');
  return { account: muxed.baseAccount().accountId(), muxedId: muxed.id() };
}

function assetOf(asset: Asset): string {
  return asset.isNative() ? 'stellar:native' : `stellar:${asset.getCode()}:${asset.getIssuer()}`;
}

function memoOf({ type, value }: Memo): LedgerMemo | null {
  if (type === 'none' || value === null) return null;
  const text = Buffer.isBuffer(value) ? value.toString(type === 'text' ? 'utf8' : 'hex') : value;
  return { type, value: text };
}
