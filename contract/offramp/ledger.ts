import { Account, Asset, Keypair, Memo, Operation, TransactionBuilder, xdr } from '@stellar/stellar-base';
import { toHex } from '../verification/bytes.js';
import type { IntentTerms } from '../verification/intent-hash.js';
import { Stop } from './errors.js';
import { exchange, membersOf, Unavailable } from './exchange.js';
import type { Run } from './options.js';
import type { OfframpAnchor, OfframpPayment, PaymentInstructions } from './state.js';

/** The ledger's answer on a transaction; for an absent one, which ledgers it searched. Times are in epoch seconds. */
export type LookUp =
  | { status: 'paid' | 'failed' }
  | { status: 'absent'; ledger: number; closedAt: number; reachesBackTo: number };

/** Throws if the server is of another network, which does not know a payment that may have been made on the right one. */
export async function checkNetwork(run: Run): Promise<void> {
  if (run.isNetworkChecked) return;
  const { passphrase } = await call(run, 'getNetwork', {});
  if (passphrase !== run.networkPassphrase) throw new Stop('wrong_network', { detail: String(passphrase) });
  run.isNetworkChecked = true;
}

async function rpc(run: Run, method: string, params: object): Promise<Record<string, unknown>> {
  await checkNetwork(run);
  return call(run, method, params);
}

async function call(run: Run, method: string, params: object): Promise<Record<string, unknown>> {
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

/** The sequence number that the next transaction of the account must have, in this ledger. */
export async function readAccount(run: Run, account: string): Promise<{ next: bigint; ledger: number }> {
  const { entries, latestLedger } = await rpc(run, 'getLedgerEntries', { keys: [accountKey(account)] });
  const [entry] = Array.isArray(entries) ? (entries as { xdr?: unknown }[]) : [];
  if (entry === undefined) throw new Stop('account_not_found');
  const sequence = sequenceOf(String(entry.xdr));
  if (sequence === undefined) throw new Unavailable('the ledger does not say what an account is');
  return { next: BigInt(sequence) + 1n, ledger: wholeNumber(latestLedger) };
}

/** Looks a payment up by its hash. */
export async function lookUp(run: Run, hash: string): Promise<LookUp> {
  const found = await rpc(run, 'getTransaction', { hash });
  if (found.status === 'SUCCESS') return { status: 'paid' };
  if (found.status === 'FAILED') return { status: 'failed' };
  if (found.status !== 'NOT_FOUND') throw new Unavailable('the ledger does not say how the payment stands');
  return {
    status: 'absent',
    ledger: wholeNumber(found.latestLedger),
    closedAt: wholeNumber(found.latestLedgerCloseTime),
    reachesBackTo: wholeNumber(found.oldestLedgerCloseTime),
  };
}

/** When the latest ledger closed, in epoch seconds: the clock that time bounds are checked against. */
export async function ledgerTime(run: Run): Promise<number> {
  const looked = await lookUp(run, '0'.repeat(64));
  if (looked.status !== 'absent') throw new Unavailable('the ledger holds a transaction that cannot be');
  return looked.closedAt;
}

/** RPC servers write times as text and ledgers as numbers. Anything else throws Unavailable. */
function wholeNumber(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number;
  throw new Unavailable('the ledger does not say which ledgers it looked in');
}

/** Submits the signed payment; submitting it again does no harm. Returns the code of a rejection, or null. */
export async function submit(run: Run, envelope: string): Promise<string | null> {
  const { status, errorResultXdr } = await rpc(run, 'sendTransaction', { transaction: envelope });
  if (status === 'TRY_AGAIN_LATER') throw new Unavailable('the ledger is busy');
  return status === 'ERROR' ? resultCodeOf(errorResultXdr) : null;
}

/** How long a payment can be carried out. A lost payment is built again only after this time. */
const validitySeconds = 300;

/** The payment as one operation, unsigned. Its hash is known before anybody signs it. */
export function buildPayment(of: {
  terms: IntentTerms;
  anchor: OfframpAnchor;
  instructions: PaymentInstructions;
  /** The sequence number of the transaction itself. */
  sequence: string;
  maxFeeStroops: string;
  networkPassphrase: string;
  /** When the latest ledger closed, in epoch seconds: the wallet's own clock may be wrong. */
  builtAt: number;
}): OfframpPayment {
  const { terms, anchor, instructions, sequence, networkPassphrase, builtAt } = of;
  const validUntil = builtAt + validitySeconds;
  // The builder adds one to the sequence number of the account.
  const account = new Account(terms.account, String(BigInt(sequence) - 1n));
  const { assetCode, assetIssuer } = anchor;
  const asset = assetIssuer === null ? Asset.native() : new Asset(assetCode, assetIssuer);
  const builder = new TransactionBuilder(account, {
    fee: of.maxFeeStroops,
    networkPassphrase,
    timebounds: { minTime: 0, maxTime: validUntil },
  });
  builder.addOperation(
    Operation.payment({ destination: instructions.destination, asset, amount: instructions.amount }),
  );
  const { memo } = instructions;
  if (memo !== null) builder.addMemo(memoOf(memo));
  const transaction = builder.build();
  return {
    hash: toHex(transaction.hash()),
    envelope: transaction.toXDR(),
    signed: false,
    builtAt,
    validUntil,
  };
}

function memoOf({ type, value }: NonNullable<PaymentInstructions['memo']>): Memo {
  if (type === 'text') return Memo.text(value);
  return type === 'id' ? Memo.id(value) : Memo.hash(value);
}

/** The key under which a ledger keeps an account, as `getLedgerEntries` takes it. */
export function accountKey(account: string): string {
  const accountId = Keypair.fromPublicKey(account).xdrAccountId();
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXDR('base64');
}

/** The sequence number in the entry of an account; undefined for anything else. */
export function sequenceOf(entry: string): string | undefined {
  try {
    return xdr.LedgerEntryData.fromXDR(entry, 'base64').account().seqNum().toString();
  } catch {
    // The decoder throws errors of many kinds.
    return undefined;
  }
}

/** The code of a result in base64 XDR, such as `txBadSeq`; `unknown` if it cannot be read. */
export function resultCodeOf(result: unknown): string {
  try {
    return xdr.TransactionResult.fromXDR(String(result), 'base64').result().switch().name;
  } catch {
    // The decoder throws errors of many kinds.
    return 'unknown';
  }
}
