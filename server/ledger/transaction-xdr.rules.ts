import { xdr } from '@stellar/stellar-base';
import { Decimal } from 'decimal.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import {
  type LedgerMemo,
  type LedgerPayment,
  type LedgerTransaction,
  operationIdOf,
} from './ledger-transaction.rules.js';

/** Length in base64. A transaction with 100 operations has some 20 KB, one that calls a contract 130 KB. */
const maxEnvelope = 256 * 1_024;
/** Length in base64. A path payment names every offer that it crossed, 100 bytes each. */
const maxResult = 1_024 * 1_024;
const stroopsPerUnit = 10_000_000;

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
    const transaction = innerTransaction(xdr.TransactionEnvelope.fromXDR(encoded.envelope, 'base64'));
    const results = operationResults(xdr.TransactionResult.fromXDR(encoded.result, 'base64'));
    const { source, memo, operations } = transaction;
    const payments = results === null ? [] : paymentsOf({ source, operations, results }, encoded);
    return { source: source.account, memo: memoOf(memo), payments, successful: results !== null };
  } catch (error) {
    // The decoder throws errors of many kinds for bytes that are no transaction.
    throw new UnreadableXdr('the transaction cannot be decoded', { cause: error });
  }
}

interface Party {
  account: string;
  muxedId: string | null;
}

interface InnerTransaction {
  source: Party;
  memo: xdr.Memo;
  operations: xdr.Operation[];
}

function innerTransaction(envelope: xdr.TransactionEnvelope): InnerTransaction {
  switch (envelope.switch().name) {
    case 'envelopeTypeTxV0': {
      const tx = envelope.v0().tx();
      const account = encodePublicKey(tx.sourceAccountEd25519());
      return { source: { account, muxedId: null }, memo: tx.memo(), operations: tx.operations() };
    }
    case 'envelopeTypeTx':
      return currentTransaction(envelope.v1().tx());
    case 'envelopeTypeTxFeeBump':
      return currentTransaction(envelope.feeBump().tx().innerTx().v1().tx());
    default:
      throw new UnreadableXdr('the envelope holds no transaction');
  }
}

function currentTransaction(tx: xdr.Transaction): InnerTransaction {
  return { source: partyOf(tx.sourceAccount()), memo: tx.memo(), operations: tx.operations() };
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
  { source, operations, results }: Omit<InnerTransaction, 'memo'> & { results: xdr.OperationResult[] },
  { ledger, order }: EncodedTransaction,
): LedgerPayment[] {
  return operations.flatMap((operation, place) => {
    const delivered = deliveryOf(operation, results[place]);
    if (delivered === null) return [];
    const own = operation.sourceAccount();
    const from = own ? partyOf(own) : source;
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
        amount: new Decimal(delivered.amount.toString()).div(stroopsPerUnit).toFixed(),
      },
    ];
  });
}

interface Delivery extends Pick<LedgerPayment, 'kind'> {
  destination: xdr.MuxedAccount;
  asset: xdr.Asset;
  amount: xdr.Int64;
}

/** Null for an operation that is no payment. */
function deliveryOf(operation: xdr.Operation, result: xdr.OperationResult | undefined): Delivery | null {
  const body = operation.body();
  switch (body.switch().name) {
    case 'payment': {
      const payment = body.paymentOp();
      return {
        kind: 'payment',
        destination: payment.destination(),
        asset: payment.asset(),
        amount: payment.amount(),
      };
    }
    case 'pathPaymentStrictReceive': {
      const payment = body.pathPaymentStrictReceiveOp();
      return {
        kind: 'path_payment_strict_receive',
        destination: payment.destination(),
        asset: payment.destAsset(),
        amount: payment.destAmount(),
      };
    }
    case 'pathPaymentStrictSend': {
      const payment = body.pathPaymentStrictSendOp();
      if (result === undefined) throw new UnreadableXdr('an operation has no result');
      // The envelope names only the least amount; the result says what arrived.
      return {
        kind: 'path_payment_strict_send',
        destination: payment.destination(),
        asset: payment.destAsset(),
        amount: result.tr().pathPaymentStrictSendResult().success().last().amount(),
      };
    }
    default:
      return null;
  }
}

function partyOf(account: xdr.MuxedAccount): Party {
  if (account.switch().name === 'keyTypeEd25519') {
    return { account: encodePublicKey(account.ed25519()), muxedId: null };
  }
  const muxed = account.med25519();
  return { account: encodePublicKey(muxed.ed25519()), muxedId: muxed.id().toString() };
}

function assetOf(asset: xdr.Asset): string {
  if (asset.switch().name === 'assetTypeNative') return 'stellar:native';
  const { assetCode, issuer } =
    asset.switch().name === 'assetTypeCreditAlphanum4'
      ? partsOf(asset.alphaNum4())
      : partsOf(asset.alphaNum12());
  return `stellar:${assetCode}:${issuer}`;
}

function partsOf(asset: xdr.AlphaNum4 | xdr.AlphaNum12): { assetCode: string; issuer: string } {
  // Codes are padded with zero bytes.
  const assetCode = asset.assetCode().toString('latin1').replace(/\0+$/, '');
  return { assetCode, issuer: encodePublicKey(asset.issuer().ed25519()) };
}

function memoOf(memo: xdr.Memo): LedgerMemo | null {
  switch (memo.switch().name) {
    case 'memoText':
      return { type: 'text', value: Buffer.from(memo.text()).toString('utf8') };
    case 'memoId':
      return { type: 'id', value: memo.id().toString() };
    case 'memoHash':
      return { type: 'hash', value: memo.hash().toString('hex') };
    case 'memoReturn':
      return { type: 'return', value: memo.retHash().toString('hex') };
    default:
      return null;
  }
}
