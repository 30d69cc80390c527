import { authenticationRequired, callerOf, faultReply } from './auth.js';
import { loopbackUrl } from './callbacks.js';
import type { AnchorContext } from './context.js';
import { type Exchange, fieldsOf, html, json, type Reply, type Route } from './http.js';
import type { Quotes } from './quotes.js';
import { spoken } from './sep1.js';
import { transactionRoutes } from './transaction-routes.js';
import type { Withdrawals } from './transactions.js';
import { sep24Info } from './transfer-info.js';
import { readWithdrawal } from './withdraw-request.js';

/** SEP-24: hosted withdrawals. Opening the interactive page is filling it in; so is letting its time pass. */
export function sep24Routes(context: AnchorContext, withdrawals: Withdrawals, quotes: Quotes): Route[] {
  const served = () => spoken[context.temper().protocol].sep24;

  async function start(exchange: Exchange): Promise<Reply> {
    const caller = callerOf(context, exchange.bearer);
    if (caller === null) return authenticationRequired(context);
    const fields = await fieldsOf(exchange);
    if (fields === null) return faultReply(context, 400, 'the body cannot be read');
    const read = readWithdrawal(context, quotes, { fields, caller, protocol: 'sep24', kind: 'withdrawal' });
    if (typeof read === 'string') return faultReply(context, 400, read);
    const withdrawal = withdrawals.begin(read);
    if (withdrawal === null) return faultReply(context, 503, 'too many open withdrawals');
    const url = `${context.origin()}/sep24/interactive/${withdrawal.id}`;
    return json(200, { type: 'interactive_customer_info_needed', url, id: withdrawal.id });
  }

  /** A wallet adds `on_change_callback` to the URL before it opens it (SEP-24, "Adding parameters to the URL"). */
  function interactive({ id, query }: Exchange): Reply {
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) return html(404, 'No such withdrawal');
    const callback = query.get('on_change_callback');
    if (callback !== null) {
      if (loopbackUrl(callback) === null)
        return html(400, 'A simulated anchor calls loopback addresses only');
      withdrawal.callbackUrl = callback;
    }
    withdrawals.submitForm(withdrawal);
    return html(200, 'Simulated withdrawal: form filled in');
  }

  return [
    { label: 'GET /sep24/info', served, handle: () => json(200, sep24Info(context)) },
    { label: 'POST /sep24/transactions/withdraw/interactive', served, calm: true, handle: start },
    { label: 'GET /sep24/interactive/:id', served, calm: true, handle: interactive },
    {
      label: 'GET /sep24/more-info/:id',
      served,
      calm: true,
      handle: () => html(200, 'Simulated withdrawal'),
    },
    ...transactionRoutes(context, withdrawals, 'sep24'),
  ];
}
