import { type AnchorContext, servedCorridors } from './context.js';
import { offered } from './sep1.js';
import type { AddRoute } from './server.js';
import { addTransactions, beginWithdrawal, paymentInstructions, withdrawTerms } from './transfers.js';
import type { Withdrawals } from './withdrawals.js';

/** SEP-6: withdrawals by API. `/withdraw` pays the currency of `destination_asset`, else the anchor's first one. */
export function addSep6(route: AddRoute, context: AnchorContext, withdrawals: Withdrawals): void {
  const sep6 = { offered: () => offered[context.profile().protocol].sep6 };
  const steady = { ...sep6, steady: true };

  route('GET /sep6/info', (_request, response) => response.json(info(context)), sep6);
  for (const [path, kind] of [
    ['withdraw', 'withdrawal'],
    ['withdraw-exchange', 'withdrawal-exchange'],
  ] as const) {
    route(
      `GET /sep6/${path}`,
      (request, response) => {
        const as = { protocol: 'sep6', kind } as const;
        const withdrawal = beginWithdrawal(context, withdrawals, request, as);
        const { enabled: _enabled, ...terms } = withdrawTerms(context);
        const eta = context.profile().settlement.settleSeconds[1];
        response.json({ ...paymentInstructions(context, withdrawal), eta, ...terms });
      },
      steady,
    );
  }
  addTransactions(route, context, withdrawals, 'sep6');
}

function info(context: AnchorContext) {
  const methods = new Set(servedCorridors(context).flatMap(({ deliveryMethods }) => deliveryMethods));
  const funding = { authentication_required: true, funding_methods: [...methods] };
  const { fee_fixed, fee_percent, ...limits } = withdrawTerms(context);
  return {
    deposit: {},
    'deposit-exchange': {},
    withdraw: { USDC: { ...limits, ...funding, fee_fixed, fee_percent } },
    'withdraw-exchange': { USDC: { ...limits, ...funding } },
    fee: { enabled: false },
    transactions: { enabled: true, authentication_required: true },
    transaction: { enabled: true, authentication_required: true },
    features: { account_creation: false, claimable_balances: false },
  };
}
