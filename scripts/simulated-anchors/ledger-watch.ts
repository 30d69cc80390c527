import type { AnchorContext } from './context.js';
import { Refusal } from './server.js';
import { memoOf } from './transfers.js';
import type { Withdrawals } from './withdrawals.js';

const timeoutMs = 5_000;
const pageSize = 200;

interface PaymentRecord {
  paging_token: string;
  to: string;
  to_muxed_id?: string;
  from: string;
  amount: string;
  transaction_hash: string;
  transaction: { memo_type: string; memo?: string };
}

/** Watches the ledger for payments to the anchor's account, as a real anchor does, and books them by their memo. */
export function createLedgerWatch(horizonUrl: string, context: AnchorContext, withdrawals: Withdrawals) {
  /** After a restart, all payments are read again; withdrawals that are already paid ignore them. */
  let cursor = '0';

  async function page(): Promise<PaymentRecord[]> {
    const query = `cursor=${cursor}&limit=${pageSize}&order=asc&join=transactions`;
    const url = `${horizonUrl}/accounts/${context.receivingAccount}/payments?${query}`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) throw new Error(`Horizon answered ${answer.status}`);
    return ((await answer.json()) as { _embedded: { records: PaymentRecord[] } })._embedded.records;
  }

  function book(record: PaymentRecord): void {
    if (record.to !== context.receivingAccount) return;
    const memo = record.transaction.memo_type === 'id' ? record.transaction.memo : record.to_muxed_id;
    const paid = withdrawals.all().find(({ id }) => memoOf(id) === memo);
    if (paid === undefined) return;
    const { amount, from, transaction_hash: stellarTransactionId } = record;
    try {
      withdrawals.pay(paid, { amount: amount.replace(/\.?0+$/, ''), from, stellarTransactionId });
    } catch (error) {
      // The withdrawal was paid before.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  return async function look(): Promise<void> {
    // If the ledger does not answer, the next tick asks again.
    for (const record of await page().catch(() => [])) {
      book(record);
      cursor = record.paging_token;
    }
  };
}
