import { authenticationRequired, type Caller, callerOf, faultReply } from './auth.js';
import type { AnchorContext } from './context.js';
import { type Exchange, json, type Reply, type Route } from './http.js';
import { spoken } from './sep1.js';
import { transactionView } from './transaction-view.js';
import type { Withdrawals } from './transactions.js';
import type { Withdrawal } from './withdrawal.js';

const pageLimit = 100;
const lookups = ['id', 'stellar_transaction_id', 'external_transaction_id'] as const;

/** A partner token reads every transaction, an account its own. */
function mayRead(caller: Caller, { owner }: Withdrawal): boolean {
  return caller.kind === 'partner' || caller.account === owner;
}

/** `GET /transaction` and `GET /transactions`, which SEP-24 and SEP-6 share. */
export function transactionRoutes(
  context: AnchorContext,
  withdrawals: Withdrawals,
  protocol: Withdrawal['protocol'],
): Route[] {
  const served = () => spoken[context.temper().protocol][protocol];
  const own = () => withdrawals.all().filter((each) => each.protocol === protocol);
  const view = (withdrawal: Withdrawal) => transactionView(context, withdrawal);

  function one({ query }: Exchange, caller: Caller): Reply {
    const name = lookups.find((each) => query.has(each));
    if (name === undefined) return faultReply(context, 400, `give one of ${lookups.join(', ')}`);
    const value = query.get(name) ?? '';
    const direct = withdrawals.find(value);
    const found =
      name === 'id'
        ? direct?.protocol === protocol
          ? direct
          : undefined
        : own().find((each) => view(each)[name] === value);
    if (found === undefined || !mayRead(caller, found))
      return faultReply(context, 404, 'transaction not found');
    return json(200, { transaction: view(found) });
  }

  function many({ query }: Exchange, caller: Caller): Reply {
    if (query.get('asset_code') !== 'USDC') return faultReply(context, 400, 'asset_code must be USDC');
    const kinds = query.getAll('kind');
    const since = query.get('no_older_than');
    const sinceMs = since === null ? 0 : Date.parse(since);
    if (Number.isNaN(sinceMs)) return faultReply(context, 400, 'no_older_than must be an instant');
    const readable = own()
      .filter((each) => mayRead(caller, each) && each.startedMs >= sinceMs)
      .filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
      .reverse();
    const after = readable.findIndex(({ id }) => id === query.get('paging_id'));
    const limit = Math.min(Math.max(Number(query.get('limit')) || pageLimit, 1), pageLimit);
    return json(200, { transactions: readable.slice(after + 1, after + 1 + limit).map(view) });
  }

  function guarded(handle: (exchange: Exchange, caller: Caller) => Reply): (exchange: Exchange) => Reply {
    return (exchange) => {
      const caller = callerOf(context, exchange.bearer);
      return caller === null ? authenticationRequired(context) : handle(exchange, caller);
    };
  }

  return [
    { label: `GET /${protocol}/transaction`, served, handle: guarded(one) },
    { label: `GET /${protocol}/transactions`, served, handle: guarded(many) },
  ];
}
