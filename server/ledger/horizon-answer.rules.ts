import { z } from 'zod';
import { plainDecimal } from '../amounts.rules.js';
import {
  fromBase64,
  type LedgerMemo,
  type LedgerPayment,
  type LedgerTransaction,
  positionOf,
} from './ledger-transaction.rules.js';

const instant = z.string().datetime().transform(Date.parse);
const account = z.string().regex(/^G[A-Z2-7]{55}$/);
const muxedId = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().int().nonnegative().transform(String)])
  .optional();
const amount = z.string().regex(/^\d{1,12}(\.\d{1,7})?$/);

const transactionForm = z.object({
  hash: z.string(),
  ledger: z.number().int().positive(),
  created_at: instant,
  successful: z.boolean(),
  source_account: account,
  memo_type: z.string(),
  memo: z.string().optional(),
  memo_bytes: z.string().optional(),
});

const paymentForm = z.object({
  id: z.string(),
  type: z.enum(['payment', 'path_payment_strict_receive', 'path_payment_strict_send']),
  from: account,
  from_muxed_id: muxedId,
  to: account,
  to_muxed_id: muxedId,
  asset_type: z.string(),
  asset_code: z.string().optional(),
  asset_issuer: account.optional(),
  amount,
});

const page = z.object({
  _embedded: z.object({ records: z.array(z.object({ type: z.string() }).passthrough()) }),
});

/** Reads Horizon's resource of a transaction, which lacks the payments; undefined where it cannot be read. */
export function readHorizonTransaction(
  json: unknown,
  hash: string,
): Omit<LedgerTransaction, 'payments'> | undefined {
  const parsed = transactionForm.safeParse(json);
  if (!parsed.success || parsed.data.hash.toLowerCase() !== hash) return undefined;
  const { ledger, created_at: closedAtMs, successful, source_account: source } = parsed.data;
  const memo = memoOf(parsed.data);
  return memo === undefined ? undefined : { hash, ledger, closedAtMs, successful, source, memo };
}

/** The payments of a page of operations; undefined where it cannot be read. */
export function readHorizonPayments(json: unknown): LedgerPayment[] | undefined {
  const parsed = page.safeParse(json);
  if (!parsed.success) return undefined;
  const payments: LedgerPayment[] = [];
  for (const record of parsed.data._embedded.records) {
    if (!paymentForm.shape.type.safeParse(record.type).success) continue;
    const payment = paymentForm.safeParse(record);
    const position = payment.success ? positionOf(payment.data.id) : null;
    const asset = payment.success ? assetOf(payment.data) : undefined;
    if (!payment.success || position === null || asset === undefined) return undefined;
    const { id: operationId, type: kind, from, to } = payment.data;
    payments.push({
      operationId,
      position,
      kind,
      from,
      fromMuxedId: payment.data.from_muxed_id ?? null,
      to,
      toMuxedId: payment.data.to_muxed_id ?? null,
      asset,
      // Horizon writes seven places.
      amount: plainDecimal(payment.data.amount),
    });
  }
  return payments;
}

/** Undefined where the memo cannot be read. */
function memoOf(transaction: z.infer<typeof transactionForm>): LedgerMemo | null | undefined {
  const { memo_type: type, memo = '', memo_bytes: bytes } = transaction;
  switch (type) {
    case 'none':
      return null;
    case 'text': {
      const raw = bytes === undefined ? null : fromBase64(bytes);
      return { type, value: raw === null ? memo : Buffer.from(raw).toString('utf8') };
    }
    case 'id':
      return memo === '' ? undefined : { type, value: memo };
    case 'hash':
    case 'return': {
      const raw = fromBase64(memo);
      return raw?.length === 32 ? { type, value: Buffer.from(raw).toString('hex') } : undefined;
    }
    default:
      return undefined;
  }
}

const rootForm = z.object({
  history_elder_ledger: z.number().int().nonnegative(),
  history_latest_ledger: z.number().int().nonnegative(),
  history_latest_ledger_closed_at: instant,
});

/** The root resource: the ledgers that this Horizon holds. */
export function readHorizonRoot(json: unknown) {
  const { data } = rootForm.safeParse(json);
  if (data === undefined) return undefined;
  return {
    oldestLedger: data.history_elder_ledger,
    latestLedger: data.history_latest_ledger,
    latestAtMs: data.history_latest_ledger_closed_at,
  };
}

/** When the ledger closed. */
export function readHorizonLedger(json: unknown): number | undefined {
  return z.object({ closed_at: instant }).safeParse(json).data?.closed_at;
}

function assetOf(payment: z.infer<typeof paymentForm>): string | undefined {
  if (payment.asset_type === 'native') return 'stellar:native';
  const { asset_code: code, asset_issuer: issuer } = payment;
  return code === undefined || issuer === undefined ? undefined : `stellar:${code}:${issuer}`;
}
