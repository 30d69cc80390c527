import { authenticationRequired, callerOf, faultReply } from './auth.js';
import type { AnchorContext } from './context.js';
import { type Exchange, html, json, type Reply, type Route } from './http.js';
import type { Quotes } from './quotes.js';
import { spoken } from './sep1.js';
import { transactionRoutes } from './transaction-routes.js';
import { paymentInstructions } from './transaction-view.js';
import type { Withdrawals } from './transactions.js';
import { sep6Info, withdrawTerms } from './transfer-info.js';
import { readWithdrawal } from './withdraw-request.js';
import type { Withdrawal } from './withdrawal.js';

/** SEP-6: withdrawals by API. `/withdraw` pays the currency of `destination_asset`, else the anchor's first one. */
export function sep6Routes(context: AnchorContext, withdrawals: Withdrawals, quotes: Quotes): Route[] {
  const served = () => spoken[context.temper().protocol].sep6;

  function start({ bearer, query }: Exchange, kind: Withdrawal['kind']): Reply {
    const caller = callerOf(context, bearer);
    if (caller === null) return authenticationRequired(context);
    const read = readWithdrawal(context, quotes, { fields: query, caller, protocol: 'sep6', kind });
    if (typeof read === 'string') return faultReply(context, 400, read);
    const withdrawal = withdrawals.begin(read);
    if (withdrawal === null) return faultReply(context, 503, 'too many open withdrawals');
    const { min_amount, max_amount, fee_fixed, fee_percent } = withdrawTerms(context);
    const terms = {
      eta: context.temper().settlement.settleSeconds[1],
      min_amount,
      max_amount,
      fee_fixed,
      fee_percent,
    };
    return json(200, { ...paymentInstructions(context, withdrawal), ...terms });
  }

  return [
    { label: 'GET /sep6/info', served, handle: () => json(200, sep6Info(context)) },
    {
      label: 'GET /sep6/withdraw',
      served,
      calm: true,
      handle: (exchange) => start(exchange, 'withdrawal'),
    },
    {
      label: 'GET /sep6/withdraw-exchange',
      served,
      calm: true,
      handle: (exchange) => start(exchange, 'withdrawal-exchange'),
    },
    { label: 'GET /sep6/more-info/:id', served, calm: true, handle: () => html(200, 'Simulated withdrawal') },
    ...transactionRoutes(context, withdrawals, 'sep6'),
  ];
}
