import { z } from 'zod';
import type { HeldRange, LedgerTransaction } from './ledger-transaction.rules.js';
import { readTransactionXdr, UnreadableXdr } from './transaction-xdr.rules.js';

/** Nodes write sequence numbers and Unix seconds as numbers or as texts. */
const whole = z
  .union([z.number(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .pipe(z.number().int().nonnegative());

const range = {
  latestLedger: whole,
  latestLedgerCloseTime: whole,
  oldestLedger: whole,
  oldestLedgerCloseTime: whole,
};
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);

const transactionResult = z.discriminatedUnion('status', [
  z.object({ status: z.literal('NOT_FOUND'), ...range }),
  ...(['SUCCESS', 'FAILED'] as const).map((status) =>
    z.object({
      status: z.literal(status),
      ledger: whole.pipe(z.number().positive()),
      createdAt: whole,
      applicationOrder: whole.pipe(z.number().positive()),
      envelopeXdr: base64,
      resultXdr: base64,
      txHash: z.string().optional(),
    }),
  ),
]);

const healthResult = z.object({ status: z.literal('healthy') });

export type RpcReading =
  | { kind: 'found'; transaction: LedgerTransaction }
  | { kind: 'not_found'; range: HeldRange }
  | { kind: 'unreadable'; detail: string };

/** Reads the answer to `getTransaction` of this hash. */
export function readRpcTransaction(answer: unknown, hash: string): RpcReading {
  const result = resultOf(answer);
  const parsed = transactionResult.safeParse(result.value);
  if (!parsed.success)
    return { kind: 'unreadable', detail: result.fault ?? 'not an answer to getTransaction' };
  const told = parsed.data;
  if (told.status === 'NOT_FOUND') {
    const { oldestLedger, latestLedger } = told;
    const oldestAtMs = told.oldestLedgerCloseTime * 1_000;
    return {
      kind: 'not_found',
      range: { oldestLedger, oldestAtMs, latestLedger, latestAtMs: told.latestLedgerCloseTime * 1_000 },
    };
  }
  if (told.txHash !== undefined && told.txHash.toLowerCase() !== hash) {
    return { kind: 'unreadable', detail: 'the answer is of another transaction' };
  }
  const { ledger, createdAt, applicationOrder: order, envelopeXdr: envelope, resultXdr } = told;
  try {
    const read = readTransactionXdr({ envelope, result: resultXdr, ledger, order });
    if (read.successful !== (told.status === 'SUCCESS')) {
      return { kind: 'unreadable', detail: 'the status and the result contradict each other' };
    }
    return { kind: 'found', transaction: { hash, ledger, closedAtMs: createdAt * 1_000, ...read } };
  } catch (error) {
    if (!(error instanceof UnreadableXdr)) throw error;
    return { kind: 'unreadable', detail: error.message };
  }
}

/** Whether the answer to `getHealth` says that the node is healthy. */
export function saysHealthy(answer: unknown): boolean {
  return healthResult.safeParse(resultOf(answer).value).success;
}

function resultOf(answer: unknown): { value: unknown; fault?: string } {
  const { result, error } = (answer ?? {}) as { result?: unknown; error?: { code?: unknown } };
  return error === undefined
    ? { value: result }
    : { value: undefined, fault: `JSON-RPC error ${Number(error?.code)}` };
}
