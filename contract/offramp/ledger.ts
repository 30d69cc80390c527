import { Stop } from './errors.js';
import { exchange, membersOf, Unavailable } from './exchange.js';
import type { Run } from './options.js';
import { accountKey, resultCodeOf, sequenceOf } from './payment.js';

/** What the ledger says of a transaction. `dead`: it is not there, and no ledger to come can carry it out. */
export type LookUp = 'paid' | 'failed' | 'pending' | 'dead' | 'unknown';

async function rpc(run: Run, method: string, params: object): Promise<Record<string, unknown>> {
  const { status, text } = await exchange(run, run.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = membersOf(text) ?? {};
  if (status === 200 && typeof result === 'object' && result !== null) return { ...result };
  const { message = status } = (error ?? {}) as { message?: unknown };
  throw new Unavailable(`the ledger answers ${method} with ${String(message)}`);
}

/** The sequence number that the next transaction of the account must have. */
export async function nextSequence(run: Run, account: string): Promise<string> {
  const { entries } = await rpc(run, 'getLedgerEntries', { keys: [accountKey(account)] });
  const [entry] = Array.isArray(entries) ? (entries as { xdr?: unknown }[]) : [];
  if (entry === undefined) throw new Stop('account_not_found');
  const sequence = sequenceOf(String(entry.xdr));
  if (sequence === undefined) throw new Unavailable('the ledger does not say what an account is');
  return String(BigInt(sequence) + 1n);
}

/** Looks a payment up by its hash. */
export async function lookUp(
  run: Run,
  { hash, builtAt, validUntil }: { hash: string; builtAt: number; validUntil: number },
): Promise<LookUp> {
  const found = await rpc(run, 'getTransaction', { hash });
  if (found.status === 'SUCCESS') return 'paid';
  if (found.status === 'FAILED') return 'failed';
  if (found.status !== 'NOT_FOUND') throw new Unavailable('the ledger does not say how the payment stands');
  // Ledgers that close after its time bounds cannot hold it; those before it was built need not be known.
  if (!(Number(found.latestLedgerCloseTime) > validUntil)) return 'pending';
  return Number(found.oldestLedgerCloseTime) <= builtAt ? 'dead' : 'unknown';
}

/** Hands the signed payment to the ledger; once more does no harm. Returns the code of a rejection, or null. */
export async function submit(run: Run, envelope: string): Promise<string | null> {
  const { status, errorResultXdr } = await rpc(run, 'sendTransaction', { transaction: envelope });
  if (status === 'TRY_AGAIN_LATER') throw new Unavailable('the ledger is busy');
  return status === 'ERROR' ? resultCodeOf(errorResultXdr) : null;
}
