import { MuxedAccount, StrKey, type Transaction } from '@stellar/stellar-base';
import type { Request, Response } from 'express';
import { operationIdOf } from '../../server/ledger/ledger-transaction.rules.js';
import { baseAccount, type Entry, horizonAsset, innerOf } from './entries.js';
import type { View } from './faults.js';
import { simulatedNetwork } from './payments.js';

export interface HorizonAnswer {
  status: number;
  json: object;
}

/** Answers a GET as Horizon does: the root, ledgers, transactions, their operations, and accounts. */
export function answerHorizon(
  path: string,
  view: View,
  sequenceOf: (account: string) => string,
): HorizonAnswer {
  const [kind, id = '', part] = path.split('/').filter((each) => each !== '');
  if (kind === undefined) return ok(root(view));
  if (kind === 'ledgers') return ledger(Number(id), view);
  if (kind === 'accounts' && part === undefined && StrKey.isValidEd25519PublicKey(id))
    return ok(account(id, sequenceOf(id)));
  if (kind !== 'transactions') return problem(404, 'not_found');
  const entry = view.find(id.toLowerCase());
  if (entry === undefined) return problem(404, 'not_found');
  if (part === 'operations') return ok({ _embedded: { records: operationsOf(entry) } });
  return ok(transactionOf(entry, id.toLowerCase()));
}

function ok(json: object): HorizonAnswer {
  return { status: 200, json };
}

function problem(status: number, type: string): HorizonAnswer {
  const title = status === 410 ? 'Data Requested Is Before Recorded History' : 'Resource Missing';
  return { status, json: { type: `https://stellar.org/horizon-errors/${type}`, title, status } };
}

function root(view: View) {
  const { latest, oldest } = view.range();
  return {
    horizon_version: 'simulated',
    history_latest_ledger: latest.ledger,
    history_latest_ledger_closed_at: instant(latest.closedAtMs),
    history_elder_ledger: oldest.ledger,
    core_latest_ledger: latest.ledger,
    network_passphrase: simulatedNetwork,
  };
}

function ledger(sequence: number, view: View): HorizonAnswer {
  const { latest, oldest } = view.range();
  if (sequence < oldest.ledger) return problem(410, 'before_history');
  if (!(sequence <= latest.ledger)) return problem(404, 'not_found');
  const closedAtMs = Math.round((sequence * latest.closedAtMs) / latest.ledger);
  return ok({ id: String(sequence), sequence, closed_at: instant(closedAtMs) });
}

/** Every account exists, with its own key as its only signer. */
function account(id: string, sequence: string) {
  return {
    id,
    account_id: id,
    sequence,
    subentry_count: 0,
    thresholds: { low_threshold: 0, med_threshold: 0, high_threshold: 0 },
    signers: [{ key: id, weight: 1, type: 'ed25519_public_key' }],
    balances: [{ balance: '1000000.0000000', asset_type: 'native' }],
  };
}

function transactionOf(entry: Entry, asked: string) {
  const { transaction, ledger, order } = entry;
  const inner = innerOf(transaction);
  return {
    id: asked,
    paging_token: operationIdOf({ ledger, order, position: 0 }),
    successful: entry.successful,
    hash: asked,
    ledger,
    created_at: instant(entry.closedAtMs),
    ...named('source_account', 'account', inner.source),
    fee_account: 'feeSource' in transaction ? transaction.feeSource : baseAccount(inner.source),
    operation_count: inner.operations.length,
    envelope_xdr: transaction.toXDR(),
    result_xdr: entry.result,
    ...memoFields(inner),
    ...(entry.innerHash === null
      ? {}
      : { fee_bump_transaction: { hash: entry.hash }, inner_transaction: { hash: entry.innerHash } }),
  };
}

function memoFields({ memo }: Transaction) {
  const { value } = memo;
  switch (memo.type) {
    case 'text': {
      const memo_bytes = Buffer.from(value ?? '').toString('base64');
      return { memo_type: memo.type, memo: String(value), memo_bytes };
    }
    case 'id':
      return { memo_type: memo.type, memo: String(value) };
    case 'hash':
    case 'return':
      return { memo_type: memo.type, memo: Buffer.from(value ?? '').toString('base64') };
    default:
      return { memo_type: 'none' };
  }
}

/** `G…` under the first name; for a muxed account, also the `M…` address and its id. */
function named(name: string, muxedName: string, address: string) {
  const fields = { [name]: baseAccount(address) };
  if (!StrKey.isValidMed25519PublicKey(address)) return fields;
  const muxed = MuxedAccount.fromAddress(address, '0');
  return { ...fields, [`${muxedName}_muxed`]: address, [`${muxedName}_muxed_id`]: muxed.id() };
}

function operationsOf({ ledger, order, hash, successful, closedAtMs, transfers }: Entry) {
  return transfers.map(({ kind, from, to, asset, amount }, place) => {
    const id = operationIdOf({ ledger, order, position: place + 1 });
    return {
      id,
      paging_token: id,
      transaction_successful: successful,
      ...named('source_account', 'source_account', from),
      type: kind,
      created_at: instant(closedAtMs),
      transaction_hash: hash,
      ...horizonAsset(asset),
      ...named('from', 'from', from),
      ...named('to', 'to', to),
      amount,
    };
  });
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

const lookEveryMs = 500;

/** The account of a request for `/accounts/{id}/transactions` as a stream; undefined for any other request. */
export function streamedAccount(request: Request): string | undefined {
  const wantsStream = request.get('accept')?.includes('text/event-stream') === true;
  const [, account] = /\/accounts\/([^/]+)\/transactions$/.exec(request.path) ?? [];
  return wantsStream ? account : undefined;
}

/** Sends the transactions of an account as server-sent events, as Horizon does: those after the cursor, then new ones. */
export function streamTransactions(account: string, request: Request, response: Response, view: View): void {
  let cursor = BigInt(String(request.get('last-event-id') ?? request.query.cursor ?? '0'));
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write('retry: 1000\nevent: open\ndata: "hello"\n\n');
  const isOfAccount = ({ transfers }: Entry) =>
    transfers.some(({ from, to }) => baseAccount(from) === account || baseAccount(to) === account);
  const look = () => {
    for (const entry of view.all().filter(isOfAccount)) {
      const record = transactionOf(entry, entry.hash);
      const id = BigInt(record.paging_token);
      if (id <= cursor) continue;
      cursor = id;
      response.write(`id: ${id}\ndata: ${JSON.stringify(record)}\n\n`);
    }
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  response.on('close', () => clearInterval(timer));
}
