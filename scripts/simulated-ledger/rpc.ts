import type { Book } from './book.js';
import { isSigned, readEnvelope } from './entries.js';
import type { View } from './faults.js';

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

/** Answers a JSON-RPC request as Stellar RPC does: getTransaction, getHealth, getLatestLedger and sendTransaction. */
export function answerRpc(body: unknown, book: Book, view: View): object {
  const { id = null, method, params } = (body ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  try {
    return {
      jsonrpc: '2.0',
      id,
      result: resultOf(method, (params ?? {}) as Record<string, unknown>, book, view),
    };
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
    case 'getLatestLedger':
      return { id: '', protocolVersion: 23, sequence: latest.ledger };
    case 'getTransaction':
      return transactionOf(params.hash, view);
    case 'sendTransaction':
      return send(params.transaction, book, latest);
    default:
      throw new RpcError(methodNotFound, 'method not found');
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
  if (entry === undefined) return { status: 'NOT_FOUND', ...range };
  return {
    status: entry.successful ? 'SUCCESS' : 'FAILED',
    ...range,
    txHash: hash,
    applicationOrder: entry.order,
    feeBump: entry.innerHash !== null,
    envelopeXdr: entry.envelope,
    resultXdr: entry.result,
    ledger: entry.ledger,
    createdAt: seconds(entry.closedAtMs),
  };
}

function send(envelope: unknown, book: Book, latest: { ledger: number; closedAtMs: number }): object {
  const told = { latestLedger: latest.ledger, latestLedgerCloseTime: seconds(latest.closedAtMs) };
  let transaction: ReturnType<typeof readEnvelope>;
  try {
    transaction = readEnvelope(String(envelope));
  } catch {
    throw new RpcError(invalidParams, 'invalid_xdr');
  }
  const hash = transaction.hash().toString('hex');
  if (!isSigned(transaction)) return { status: 'ERROR', hash, ...told };
  book.submit(transaction);
  return { status: 'PENDING', hash, ...told };
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1_000));
}
