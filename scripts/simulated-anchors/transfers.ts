/** SEP-24 and SEP-6: withdrawals by a hosted form and by API, and how a transaction is shown. */
import type { Request } from 'express';
import { toInstant } from '../../server/ports.js';
import { usdc } from '../simulated-ledger/payments.js';
import { loopbackUrl } from './callbacks.js';
import { type AnchorContext, servedCorridors } from './context.js';
import { type Caller, callerOf, isAccount } from './identity.js';
import { Amount, amountForm } from './pricing.js';
import { offered } from './profiles.js';
import { type AddRoute, fieldsOf, Refusal, sendPage } from './server.js';
import type { NewWithdrawal, Withdrawal, Withdrawals } from './withdrawals.js';

function requireCaller({ partnerToken }: AnchorContext, { headers }: Request): Caller {
  const caller = callerOf(partnerToken, headers.authorization);
  if (caller === null) throw new Refusal(403, 'Forbidden', { type: 'authentication_required' });
  return caller;
}

/** The limits and the fee of a withdrawal, as JSON numbers, which SEP-24 and SEP-6 have here. */
function withdrawTerms(context: AnchorContext) {
  const { minAmount, maxAmount, feeFixed, feePercent } = context.profile();
  const limits = { min_amount: Number(minAmount), max_amount: Number(maxAmount) };
  return { ...limits, fee_fixed: Number(feeFixed), fee_percent: Number(feePercent) };
}

/** SEP-24: hosted withdrawals. The form is filled in by opening the interactive page, or by waiting long enough. */
export function addSep24(route: AddRoute, context: AnchorContext, withdrawals: Withdrawals): void {
  const sep24 = { offered: () => offered[context.profile().protocol].sep24 };
  const steady = { ...sep24, steady: true };
  // Lists Stellar assets only, never the currency paid out.
  route('GET /sep24/info', sep24, (_, response) =>
    response.json({ withdraw: { USDC: { enabled: true, ...withdrawTerms(context) } } }),
  );
  route('POST /sep24/transactions/withdraw/interactive', steady, (request, response) => {
    const { id } = beginWithdrawal(context, withdrawals, request, 'sep24');
    const url = `${context.origin()}/sep24/interactive/${id}`;
    response.json({ type: 'interactive_customer_info_needed', url, id });
  });
  // A wallet adds `on_change_callback` to the URL before it opens it (SEP-24, "Adding parameters to the URL").
  route('GET /sep24/interactive/:id', steady, ({ params, query }, response) => {
    const withdrawal = withdrawals.find(params.id ?? '');
    if (withdrawal === undefined) return sendPage(response, 404, 'No such withdrawal');
    withdrawal.callbackUrl = callbackUrlOf(fieldsOf(query)) ?? withdrawal.callbackUrl;
    withdrawals.submitForm(withdrawal);
    return sendPage(response, 200, 'Simulated withdrawal: form filled in');
  });
  addTransactions(route, context, withdrawals, 'sep24');
}

/** SEP-6: withdrawals by API. */
export function addSep6(route: AddRoute, context: AnchorContext, withdrawals: Withdrawals): void {
  const sep6 = { offered: () => offered[context.profile().protocol].sep6 };
  route('GET /sep6/info', sep6, (_, response) => {
    const terms = { enabled: true, authentication_required: true };
    const { fee_fixed: _fixed, fee_percent: _percent, ...limits } = withdrawTerms(context);
    response.json({
      withdraw: { USDC: { ...terms, ...withdrawTerms(context) } },
      'withdraw-exchange': { USDC: { ...terms, ...limits } },
      transaction: terms,
    });
  });
  route('GET /sep6/withdraw-exchange', { ...sep6, steady: true }, (request, response) => {
    const { id } = beginWithdrawal(context, withdrawals, request, 'sep6');
    // Where to pay.
    const payment = { account_id: context.receivingAccount, memo_type: 'id', memo: memoOf(id) };
    response.json({ id, ...payment, ...withdrawTerms(context) });
  });
  addTransactions(route, context, withdrawals, 'sep6');
}

/** Reads a request for a withdrawal and begins it. */
function beginWithdrawal(
  context: AnchorContext,
  withdrawals: Withdrawals,
  request: Request,
  protocol: NewWithdrawal['protocol'],
): Withdrawal {
  const caller = requireCaller(context, request);
  const fields = fieldsOf(protocol === 'sep24' ? request.body : request.query);
  const field = (name: string) => fields.get(name) || null;
  if (field(protocol === 'sep24' ? 'asset_code' : 'source_asset') !== 'USDC')
    throw new Refusal(400, 'unsupported asset');
  const account = field('account');
  if (account !== null && !isAccount(account)) throw new Refusal(400, 'account must be a G… key');
  const owner = caller === 'partner' ? account : caller;
  if (owner === null) throw new Refusal(400, 'account is required with a partner token');

  const destination = field('destination_asset');
  const served = servedCorridors(context).find(
    ({ corridor }) => destination === null || corridor.buyAsset === destination,
  );
  if (served === undefined) throw new Refusal(400, 'unsupported destination_asset');
  // SEP-24 asks for the delivery method in its form; here `funding_method` takes the place of that choice.
  const deliveryMethod = field('funding_method') ?? served.deliveryMethods[0] ?? '';
  if (!served.deliveryMethods.includes(deliveryMethod)) throw new Refusal(400, 'unsupported funding_method');
  const amountIn = field('amount');
  if (amountIn !== null) checkAmount(context, amountIn);
  const { buyAsset } = served.corridor;
  const who = { owner, from: account ?? owner, callbackUrl: callbackUrlOf(fields) };
  return withdrawals.begin({ protocol, ...who, buyAsset, deliveryMethod, amountIn });
}

function callbackUrlOf(fields: ReadonlyMap<string, string>): string | null {
  const url = fields.get('on_change_callback') || null;
  if (url !== null && loopbackUrl(url) === null)
    throw new Refusal(400, 'on_change_callback: a simulated anchor calls loopback addresses only');
  return url;
}

function checkAmount(context: AnchorContext, amount: string): void {
  if (!amountForm.test(amount)) throw new Refusal(400, 'amount must be a decimal of at most 7 places');
  const { minAmount, maxAmount } = context.profile();
  const asked = new Amount(amount);
  if (asked.lt(minAmount) || asked.gt(maxAmount))
    throw new Refusal(400, `amount must be from ${minAmount} to ${maxAmount} USDC`);
}

/** Adds `GET /transaction` by id. A partner token can read every transaction, an account only its own. */
function addTransactions(
  route: AddRoute,
  context: AnchorContext,
  withdrawals: Withdrawals,
  protocol: Withdrawal['protocol'],
): void {
  route(
    `GET /${protocol}/transaction`,
    { offered: () => offered[context.profile().protocol][protocol] },
    (request, response) => {
      const caller = requireCaller(context, request);
      const found = withdrawals.find(fieldsOf(request.query).get('id') ?? '');
      if (found?.protocol !== protocol || !['partner', found.owner].includes(caller))
        throw new Refusal(404, 'transaction not found');
      response.json({ transaction: transactionView(context, found) });
    },
  );
}

/** The memo by which the anchor recognises the payment: a number made of the id. */
export function memoOf(id: string): string {
  return String(Number.parseInt(id.replaceAll('-', '').slice(0, 9), 16));
}

function feeFields({ fee, protocol }: Withdrawal, old: boolean) {
  if (fee === null) return {};
  if (old) return { amount_fee: fee };
  // SEP-24 calls the parts `breakdown`, SEP-6 calls them `details`.
  const parts = { [protocol === 'sep24' ? 'breakdown' : 'details']: [{ name: 'Service fee', amount: fee }] };
  return { fee_details: { total: fee, asset: usdc, ...parts } };
}

function refundFields({ refund }: Withdrawal) {
  if (refund === null) return {};
  if (refund.way === 'flag') return { refunded: true };
  const payment = { id: refund.stellarTransactionId, id_type: 'stellar', amount: refund.amount, fee: '0' };
  return { refunds: { amount_refunded: refund.amount, amount_fee: '0', payments: [payment] } };
}

/** The transaction as SEP-24 and SEP-6 show it; the old version has no assets, details or zones. */
export function transactionView(context: AnchorContext, withdrawal: Withdrawal): Record<string, unknown> {
  const old = context.profile().protocol === 'sep38-old';
  const { id, status, completedMs } = withdrawal;
  const instant = (epochMs: number) => toInstant(epochMs).slice(0, old ? 19 : undefined);
  const fields = {
    id,
    kind: withdrawal.protocol === 'sep24' ? 'withdrawal' : 'withdrawal-exchange',
    status,
    message: withdrawal.message,
    amount_in: withdrawal.amountIn,
    amount_out: withdrawal.amountOut,
    ...(old ? {} : { amount_in_asset: usdc, amount_out_asset: withdrawal.buyAsset }),
    ...feeFields(withdrawal, old),
    started_at: instant(withdrawal.startedMs),
    updated_at: instant(withdrawal.updatedMs),
    completed_at: completedMs === null ? null : instant(completedMs),
    stellar_transaction_id: withdrawal.stellarTransactionId,
    external_transaction_id: completedMs === null ? null : `SIM-${id.slice(0, 8)}`,
    ...refundFields(withdrawal),
    from: withdrawal.from,
    // A reader must neither store nor log bank data in a record. These belong to nobody.
    to: status === 'incomplete' ? null : 'SIMULATED BANK 0123456789',
    ...(status === 'pending_user_transfer_start'
      ? {
          withdraw_anchor_account: context.receivingAccount,
          withdraw_memo: memoOf(id),
          withdraw_memo_type: 'id',
        }
      : {}),
    ...withdrawal.amended,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
