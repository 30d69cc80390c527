import { isAccount } from './auth.js';
import type { AnchorContext } from './context.js';
import { fieldsOf, json, type Reply, type Route, refusal } from './http.js';
import { transactionView } from './transaction-view.js';
import type { Payment, Withdrawals } from './transactions.js';
import type { Ending } from './types.js';

const endings: Readonly<Record<Ending, true>> = {
  complete: true,
  refund: true,
  'refund-old-error': true,
  'refund-old-completed': true,
  fail: true,
  recover: true,
  hold: true,
  stuck: true,
};

function isEnding(text: string): text is Ending {
  return Object.hasOwn(endings, text);
}

function readPayment(fields: ReadonlyMap<string, string>): Payment | string {
  const amount = fields.get('amount');
  const from = fields.get('from');
  const ending = fields.get('ending');
  if (amount !== undefined && !/^(0|[1-9]\d{0,11})(\.\d{1,7})?$/.test(amount))
    return 'amount must be a decimal';
  if (from !== undefined && !isAccount(from)) return 'from must be a G… key';
  if (ending !== undefined && !isEnding(ending))
    return `ending must be one of ${Object.keys(endings).join(', ')}`;
  return { amount, from, ending, stellarTransactionId: fields.get('stellar_transaction_id') };
}

/**
 * No part of any standard: `POST /simulate/transactions/{id}/payment` {stellar_transaction_id?, amount?, from?, ending?}
 * stands in for the payment on the ledger that a real anchor would watch for.
 */
export function controlRoutes(context: AnchorContext, withdrawals: Withdrawals): Route[] {
  return [
    {
      label: 'POST /simulate/transactions/:id/payment',
      calm: true,
      async handle(exchange): Promise<Reply> {
        const withdrawal = withdrawals.find(exchange.id);
        if (withdrawal === undefined) return refusal(404, 'transaction not found');
        const fields = await fieldsOf(exchange);
        const payment = fields === null ? 'the body cannot be read' : readPayment(fields);
        if (typeof payment === 'string') return refusal(400, payment);
        const fault = withdrawals.pay(withdrawal, payment);
        if (fault !== null) return refusal(409, fault);
        return json(200, { transaction: transactionView(context, withdrawal) });
      },
    },
  ];
}
