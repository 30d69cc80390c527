import type { AnchorContext } from './context.js';
import { offered } from './sep1.js';
import { type AddRoute, fieldsOf, sendPage } from './server.js';
import { addTransactions, beginWithdrawal, checkCallbackUrl, withdrawTerms } from './transfers.js';
import type { Withdrawals } from './withdrawals.js';

/** SEP-24: hosted withdrawals. The form is filled in by opening the interactive page, or by waiting long enough. */
export function addSep24(route: AddRoute, context: AnchorContext, withdrawals: Withdrawals): void {
  const sep24 = { offered: () => offered[context.profile().protocol].sep24 };
  const steady = { ...sep24, steady: true };

  // Lists Stellar assets only, never the currency paid out.
  route(
    'GET /sep24/info',
    (_request, response) =>
      response.json({
        deposit: {},
        withdraw: { USDC: withdrawTerms(context) },
        fee: { enabled: false },
        features: { account_creation: false, claimable_balances: false },
      }),
    sep24,
  );
  route(
    'POST /sep24/transactions/withdraw/interactive',
    (request, response) => {
      const as = { protocol: 'sep24', kind: 'withdrawal' } as const;
      const { id } = beginWithdrawal(context, withdrawals, request, as);
      const url = `${context.origin()}/sep24/interactive/${id}`;
      response.json({ type: 'interactive_customer_info_needed', url, id });
    },
    steady,
  );
  // A wallet adds `on_change_callback` to the URL before it opens it (SEP-24, "Adding parameters to the URL").
  route(
    'GET /sep24/interactive/:id',
    ({ params, query }, response) => {
      const withdrawal = withdrawals.find(params.id ?? '');
      if (withdrawal === undefined) return sendPage(response, 404, 'No such withdrawal');
      const callback = fieldsOf(query).get('on_change_callback');
      if (callback !== undefined) {
        checkCallbackUrl(callback);
        withdrawal.callbackUrl = callback;
      }
      withdrawals.submitForm(withdrawal);
      return sendPage(response, 200, 'Simulated withdrawal: form filled in');
    },
    steady,
  );
  addTransactions(route, context, withdrawals, 'sep24');
}
