import { StrKey, TransactionBuilder, xdr } from '@stellar/stellar-base';
import type { Book } from './book.js';
import { type AnyTransaction, encodedRejection, isSigned } from './entries.js';
import type { View } from './faults.js';
import { simulatedNetwork } from './payments.js';

const invalidParams = -32_602;
const methodNotFound = -32_601;

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Answers a JSON-RPC request as Stellar RPC does: getTransaction, getHealth, getNetwork, getLatestLedger, getLedgerEntries
 * (of accounts) and sendTransaction.
 */
export function answerRpc(body: unknown, book: Book, view: View): object {
  const { id = null, method, params } = (body ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  try {
    const result = resultOf(method, (params ?? {}) as Record<string, unknown>, book, view);
    return { jsonrpc: '2.0', id, result };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

function resultOf(method: unknown, params: Record<string, unknown>, book: Book, view: View): object {
  const { latest, oldest } = view.range();
  switch (method) {
    case 'getHealth':
      return {
        status: 'healthy',
        latestLedger: latest.ledger,
        oldestLedger: oldest.ledger,
        ledgerRetentionWindow: latest.ledger - oldest.ledger + 1,
      };
    case 'getNetwork':
      return { passphrase: simulatedNetwork, protocolVersion: 23 };
    case 'getLatestLedger':
      return {
        id: '',
        protocolVersion: 23,
        sequence: latest.ledger,
        closeTime: seconds(latest.closedAtMs),
        // The official Python SDK refuses an answer without them; nothing here reads headers.
        headerXdr: '',
        metadataXdr: '',
      };
    case 'getLedgerEntries':
      return { entries: accountsOf(params.keys, book), latestLedger: latest.ledger };
    case 'getTransaction':
      return transactionOf(params.hash, view);
    case 'sendTransaction':
      return send(params.transaction, book, latest);
    default:
      throw new RpcError(methodNotFound, 'method not found');
  }
}

/** Every account exists: nobody has to fund simulated wallets. */
function accountsOf(keys: unknown, book: Book): object[] {
  return (Array.isArray(keys) ? keys : []).map((key: unknown) => {
    const accountId = accountOf(key);
    const account = StrKey.encodeEd25519PublicKey(accountId.ed25519());
    const entry = new xdr.AccountEntry({
      accountId,
      balance: xdr.Int64.fromString('10000000000000'),
      seqNum: xdr.Int64.fromString(book.sequenceOf(account)),
      numSubEntries: 0,
      inflationDest: null,
      flags: 0,
      homeDomain: '',
      thresholds: Buffer.from([1, 0, 0, 0]),
      signers: [],
      ext: new xdr.AccountEntryExt(0),
    });
    return { key, xdr: xdr.LedgerEntryData.account(entry).toXDR('base64'), lastModifiedLedgerSeq: 1 };
  });
}

function accountOf(key: unknown): xdr.PublicKey {
  try {
    return xdr.LedgerKey.fromXDR(String(key), 'base64').account().accountId();
  } catch {
    throw new RpcError(invalidParams, 'cannot unmarshal key value');
  }
}

function transactionOf(hash: unknown, view: View): object {
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new RpcError(invalidParams, 'unexpected hash length');
  }
  const { latest, oldest } = view.range();
  const range = {
    latestLedger: latest.ledger,
    latestLedgerCloseTime: seconds(latest.closedAtMs),
    oldestLedger: oldest.ledger,
    oldestLedgerCloseTime: seconds(oldest.closedAtMs),
  };
  const entry = view.find(hash);
  if (entry === undefined) return { status: 'NOT_FOUND', txHash: hash, ...range };
  return {
    status: entry.successful ? 'SUCCESS' : 'FAILED',
    ...range,
    txHash: hash,
    applicationOrder: entry.order,
    feeBump: entry.innerHash !== null,
    envelopeXdr: entry.transaction.toXDR(),
    resultXdr: entry.result,
    ledger: entry.ledger,
    createdAt: seconds(entry.closedAtMs),
  };
}

function send(envelope: unknown, book: Book, latest: { ledger: number; closedAtMs: number }): object {
  const told = { latestLedger: latest.ledger, latestLedgerCloseTime: seconds(latest.closedAtMs) };
  let transaction: AnyTransaction;
  try {
    transaction = TransactionBuilder.fromXDR(String(envelope), simulatedNetwork);
  } catch {
    throw new RpcError(invalidParams, 'invalid_xdr');
  }
  const hash = transaction.hash().toString('hex');
  if (book.holds(hash)) return { status: 'DUPLICATE', hash, ...told };
  const rejection = isSigned(transaction) ? book.rejectionOf(transaction) : 'txBadAuth';
  if (rejection !== null) {
    return { status: 'ERROR', errorResultXdr: encodedRejection(rejection), hash, ...told };
  }
  book.submit(transaction);
  return { status: 'PENDING', hash, ...told };
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1_000));
}
