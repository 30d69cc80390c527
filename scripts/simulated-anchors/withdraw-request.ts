import { type Caller, isAccount } from './auth.js';
import { loopbackUrl } from './callbacks.js';
import { type AnchorContext, type ServedCorridor, servedCorridors } from './context.js';
import { usdc, usdcIssuer } from './corridors.js';
import type { FirmQuote, Quotes } from './quotes.js';
import { Amount } from './rates.js';
import type { Begin } from './transactions.js';

const amountForm = /^(0|[1-9]\d{0,11})(\.\d{1,7})?$/;

interface Fields {
  get(name: string): string | null | undefined;
}

/** Reads a request for a withdrawal, in the fields SEP-24 and SEP-6 share; a text says what is wrong with it. */
export function readWithdrawal(
  context: AnchorContext,
  quotes: Quotes,
  request: { fields: Fields; caller: Caller; protocol: Begin['protocol']; kind: Begin['kind'] },
): Begin | string {
  const { fields, caller, protocol, kind } = request;
  const field = (name: string) => fields.get(name) || null;
  const code = kind === 'withdrawal' ? field('asset_code') : field('source_asset');
  const issuer = field('asset_issuer');
  if (code !== 'USDC' && !(kind === 'withdrawal-exchange' && code === usdc)) return 'unsupported asset';
  if (issuer !== null && issuer !== usdcIssuer) return 'unsupported asset_issuer';

  const account = field('account');
  if (account !== null && !isAccount(account)) return 'account must be a G… key';
  const owner = caller.kind === 'account' ? caller.account : account;
  if (owner === null) return 'account is required with a partner token';

  const destination = field('destination_asset');
  if (destination === null && kind === 'withdrawal-exchange') return 'destination_asset is required';
  const served = servedCorridors(context).find(
    ({ corridor }) => destination === null || corridor.buyAsset === destination,
  );
  if (served === undefined) return 'unsupported destination_asset';
  const deliveryMethod = methodOf(served, field('funding_method') ?? field('type'));
  if (deliveryMethod === null) return 'unsupported funding_method';

  const quote = quoteOf(context, quotes, field('quote_id'), served);
  if (typeof quote === 'string') return quote;
  const amountIn = field('amount') ?? quote?.sellAmount ?? null;
  const amountFault = faultOfAmount(context, amountIn, quote);
  if (amountFault !== null) return amountFault;

  const callbackUrl = field('on_change_callback');
  if (callbackUrl !== null && loopbackUrl(callbackUrl) === null)
    return 'on_change_callback: a simulated anchor calls loopback addresses only';

  return {
    protocol,
    kind,
    owner,
    from: account ?? owner,
    sellAsset: usdc,
    buyAsset: served.corridor.buyAsset,
    deliveryMethod,
    quoteId: quote?.id ?? null,
    pricedMs: quote?.createdMs ?? context.clock(),
    amountIn,
    callbackUrl,
  };
}

/**
 * The delivery method asked for, else the first that is offered. SEP-24 has no such field, its form asks: here
 * `funding_method` stands in for what a person would choose there.
 */
function methodOf({ deliveryMethods }: ServedCorridor, asked: string | null): string | null {
  if (asked === null) return deliveryMethods[0] ?? null;
  return deliveryMethods.includes(asked) ? asked : null;
}

function quoteOf(context: AnchorContext, quotes: Quotes, id: string | null, { corridor }: ServedCorridor) {
  if (id === null) return null;
  const quote = quotes.find(id);
  if (quote === undefined) return 'quote not found';
  if (quote.expiresMs < context.clock()) return 'the quote has expired';
  return quote.buyAsset === corridor.buyAsset ? quote : 'the quote is for another asset';
}

function faultOfAmount(
  context: AnchorContext,
  amount: string | null,
  quote: FirmQuote | null,
): string | null {
  if (amount === null) return null;
  if (!amountForm.test(amount)) return 'amount must be a decimal of at most 7 places';
  const { minAmount, maxAmount } = context.temper();
  const asked = new Amount(amount);
  if (asked.lt(minAmount) || asked.gt(maxAmount))
    return `amount must be from ${minAmount} to ${maxAmount} USDC`;
  return quote === null || asked.eq(quote.sellAmount) ? null : 'amount is not that of the quote';
}
