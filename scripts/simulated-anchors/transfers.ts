/** What SEP-24 and SEP-6 share: starting a withdrawal, reading transactions, and how a transaction is shown. */
import type { Request } from 'express';
import { toInstant } from '../../server/ports.js';
import { loopbackUrl } from './callbacks.js';
import { type AnchorContext, type ServedCorridor, servedCorridors } from './context.js';
import { usdc, usdcIssuer } from './corridors.js';
import { type Caller, callerOf, isAccount } from './identity.js';
import { Amount, amountForm } from './pricing.js';
import { offered } from './sep1.js';
import { type AddRoute, fieldsOf, Refusal, sendPage } from './server.js';
import type { NewWithdrawal, Withdrawal, Withdrawals } from './withdrawals.js';

const lookups = ['id', 'stellar_transaction_id', 'external_transaction_id'] as const;

function requireCaller({ partnerToken }: AnchorContext, { headers }: Request): Caller {
  const caller = callerOf(partnerToken, headers.authorization);
  if (caller === null) throw new Refusal(403, 'Forbidden', { type: 'authentication_required' });
  return caller;
}

/** The limits and the fee of a withdrawal, as JSON numbers, which SEP-24 and SEP-6 have here. */
export function withdrawTerms(context: AnchorContext) {
  const { minAmount, maxAmount, feeFixed, feePercent } = context.profile();
  return {
    enabled: true,
    min_amount: Number(minAmount),
    max_amount: Number(maxAmount),
    fee_fixed: Number(feeFixed),
    fee_percent: Number(feePercent),
  };
}

/** Reads a request for a withdrawal and begins it. */
export function beginWithdrawal(
  context: AnchorContext,
  withdrawals: Withdrawals,
  request: Request,
  { protocol, kind }: Pick<NewWithdrawal, 'protocol' | 'kind'>,
): Withdrawal {
  const caller = requireCaller(context, request);
  const fields = fieldsOf(protocol === 'sep24' ? request.body : request.query);
  const field = (name: string) => fields.get(name) || null;
  const code = kind === 'withdrawal' ? field('asset_code') : field('source_asset');
  const issuer = field('asset_issuer');
  if (code !== 'USDC' && !(kind === 'withdrawal-exchange' && code === usdc))
    throw new Refusal(400, 'unsupported asset');
  if (issuer !== null && issuer !== usdcIssuer) throw new Refusal(400, 'unsupported asset_issuer');

  const account = field('account');
  if (account !== null && !isAccount(account)) throw new Refusal(400, 'account must be a G… key');
  const owner = caller.kind === 'account' ? caller.account : account;
  if (owner === null) throw new Refusal(400, 'account is required with a partner token');

  const destination = field('destination_asset');
  if (destination === null && kind === 'withdrawal-exchange')
    throw new Refusal(400, 'destination_asset is required');
  const served = servedCorridors(context).find(
    ({ corridor }) => destination === null || corridor.buyAsset === destination,
  );
  if (served === undefined) throw new Refusal(400, 'unsupported destination_asset');
  // SEP-24 asks for the delivery method in its form; here `funding_method` takes the place of that choice.
  const deliveryMethod = deliveryMethodOf(served, field('funding_method') ?? field('type'));

  const amountIn = field('amount');
  if (amountIn !== null) checkAmount(context, amountIn);
  const callbackUrl = field('on_change_callback');
  if (callbackUrl !== null) checkCallbackUrl(callbackUrl);

  const withdrawal = withdrawals.begin({
    protocol,
    kind,
    owner,
    from: account ?? owner,
    sellAsset: usdc,
    buyAsset: served.corridor.buyAsset,
    deliveryMethod,
    amountIn,
    callbackUrl,
  });
  if (withdrawal === null) throw new Refusal(503, 'too many open withdrawals');
  return withdrawal;
}

export function checkCallbackUrl(url: string): void {
  if (loopbackUrl(url) === null)
    throw new Refusal(400, 'on_change_callback: a simulated anchor calls loopback addresses only');
}

/** The requested delivery method, else the first one offered. */
function deliveryMethodOf({ deliveryMethods }: ServedCorridor, asked: string | null): string {
  const method = asked ?? deliveryMethods[0];
  if (method === undefined || !deliveryMethods.includes(method))
    throw new Refusal(400, 'unsupported funding_method');
  return method;
}

function checkAmount(context: AnchorContext, amount: string): void {
  if (!amountForm.test(amount)) throw new Refusal(400, 'amount must be a decimal of at most 7 places');
  const { minAmount, maxAmount } = context.profile();
  const asked = new Amount(amount);
  if (asked.lt(minAmount) || asked.gt(maxAmount))
    throw new Refusal(400, `amount must be from ${minAmount} to ${maxAmount} USDC`);
}

/**
 * Adds `GET /transaction` and the page `more-info`. A partner token can read every transaction, an
 * account only its own.
 */
export function addTransactions(
  route: AddRoute,
  context: AnchorContext,
  withdrawals: Withdrawals,
  protocol: Withdrawal['protocol'],
): void {
  const options = { offered: () => offered[context.profile().protocol][protocol] };
  const view = (withdrawal: Withdrawal) => transactionView(context, withdrawal);
  const readable = (caller: Caller) =>
    withdrawals
      .all()
      .filter((each) => each.protocol === protocol)
      .filter(({ owner }) => caller.kind === 'partner' || caller.account === owner);

  route(
    `GET /${protocol}/transaction`,
    (request, response) => {
      const caller = requireCaller(context, request);
      const query = fieldsOf(request.query);
      const name = lookups.find((each) => query.has(each));
      if (name === undefined) throw new Refusal(400, `give one of ${lookups.join(', ')}`);
      const found = readable(caller).find((each) =>
        name === 'id' ? each.id === query.get(name) : view(each)[name] === query.get(name),
      );
      if (found === undefined) throw new Refusal(404, 'transaction not found');
      response.json({ transaction: view(found) });
    },
    options,
  );
  route(
    `GET /${protocol}/more-info/:id`,
    (_request, response) => sendPage(response, 200, 'Simulated withdrawal'),
    { ...options, steady: true },
  );
}

/** `2026-11-21T09:30:00.250Z`; the old version has whole seconds and no zone. */
function wireInstant(epochMs: number, old: boolean): string {
  const instant = toInstant(epochMs);
  return old ? instant.slice(0, 19) : instant;
}

/** The memo by which the anchor recognises the payment: a number made of the id. */
export function memoOf(id: string): string {
  return String(Number.parseInt(id.replaceAll('-', '').slice(0, 9), 16));
}

function feeFields({ fee, sellAsset, protocol }: Withdrawal, old: boolean) {
  if (fee === null) return {};
  if (old) return { amount_fee: fee };
  // SEP-24 calls the parts `breakdown`, SEP-6 calls them `details`.
  const parts = { [protocol === 'sep24' ? 'breakdown' : 'details']: [{ name: 'Service fee', amount: fee }] };
  return { fee_details: { total: fee, asset: sellAsset, ...parts } };
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
  const { id, protocol, status, completedMs } = withdrawal;
  const awaitsPayment = status === 'pending_user_transfer_start';
  const fields = {
    id,
    kind: withdrawal.kind,
    status,
    message: withdrawal.message,
    more_info_url: `${context.origin()}/${protocol}/more-info/${id}`,
    amount_in: withdrawal.amountIn,
    amount_out: withdrawal.amountOut,
    ...(old ? {} : { amount_in_asset: withdrawal.sellAsset, amount_out_asset: withdrawal.buyAsset }),
    ...feeFields(withdrawal, old),
    started_at: wireInstant(withdrawal.startedMs, old),
    updated_at: wireInstant(withdrawal.updatedMs, old),
    completed_at: completedMs === null ? null : wireInstant(completedMs, old),
    stellar_transaction_id: withdrawal.stellarTransactionId,
    external_transaction_id: completedMs === null ? null : `SIM-${id.slice(0, 8)}`,
    ...refundFields(withdrawal),
    from: withdrawal.from,
    // A reader must neither store nor log bank data in a record. These belong to nobody.
    to: status === 'incomplete' ? null : 'SIMULATED BANK 0123456789',
    withdraw_anchor_account: awaitsPayment ? context.receivingAccount : null,
    withdraw_memo: awaitsPayment ? memoOf(id) : null,
    withdraw_memo_type: awaitsPayment ? 'id' : null,
    ...withdrawal.amended,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The answer of SEP-6's `GET /withdraw`: where to pay. */
export function paymentInstructions(context: AnchorContext, { id }: Withdrawal) {
  return { id, account_id: context.receivingAccount, memo_type: 'id', memo: memoOf(id) };
}
