import { type AnchorContext, servedCorridors } from './context.js';

/** The limits and the fee of a withdrawal, as JSON numbers, which SEP-24 and SEP-6 have here. */
export function withdrawTerms(context: AnchorContext) {
  const { minAmount, maxAmount, feeFixed, feePercent } = context.temper();
  return {
    enabled: true,
    min_amount: Number(minAmount),
    max_amount: Number(maxAmount),
    fee_fixed: Number(feeFixed),
    fee_percent: Number(feePercent),
  };
}

/** GET /sep24/info: lists Stellar assets only, never the currency paid out. */
export function sep24Info(context: AnchorContext) {
  return {
    deposit: {},
    withdraw: { USDC: withdrawTerms(context) },
    fee: { enabled: false },
    features: { account_creation: false, claimable_balances: false },
  };
}

/** GET /sep6/info. */
export function sep6Info(context: AnchorContext) {
  const methods = new Set(servedCorridors(context).flatMap(({ deliveryMethods }) => deliveryMethods));
  const funding = { authentication_required: true, funding_methods: [...methods] };
  const { enabled, min_amount, max_amount, fee_fixed, fee_percent } = withdrawTerms(context);
  return {
    deposit: {},
    'deposit-exchange': {},
    withdraw: { USDC: { enabled, ...funding, min_amount, max_amount, fee_fixed, fee_percent } },
    'withdraw-exchange': { USDC: { enabled, ...funding, min_amount, max_amount } },
    fee: { enabled: false },
    transactions: { enabled: true, authentication_required: true },
    transaction: { enabled: true, authentication_required: true },
    features: { account_creation: false, claimable_balances: false },
  };
}
