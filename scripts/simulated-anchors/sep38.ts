import { type AnchorContext, type ServedCorridor, servedCorridors, termsFor } from './context.js';
import { usdc } from './corridors.js';
import { type Exchange, html, json, type Reply, type Route, refusal } from './http.js';
import { type Priced, priceForBuy, priceForSell, ratio, stellarPlaces } from './pricing.js';
import { Amount } from './rates.js';
import { spoken } from './sep1.js';

const amountForm = /^(0|[1-9]\d{0,11})(\.\d{1,7})?$/;

/** What `/price` and `/quote` ask for, whichever way it came. */
export interface PriceRequest {
  get(name: string): string | undefined;
}

/** A price, or why there is none (a 400 in every SEP-38 dialect). */
type PriceResult =
  | { priced: Priced; served: ServedCorridor; body: Record<string, unknown> }
  | { error: string };

function deliveryMethodsOf({ deliveryMethods }: ServedCorridor) {
  return deliveryMethods.map((name) => ({ name, description: `Simulated payout by ${name}` }));
}

function info(context: AnchorContext): Reply {
  const fiat = servedCorridors(context).map((served) => ({
    asset: served.corridor.buyAsset,
    ...(served.corridor.country === undefined ? {} : { country_codes: [served.corridor.country] }),
    buy_delivery_methods: deliveryMethodsOf(served),
  }));
  return json(200, { assets: [{ asset: usdc }, ...fiat] });
}

/** Indicative prices of one unit, `price` in sell units per buy unit whichever side was named. */
function prices(context: AnchorContext, { query }: Exchange): Reply {
  const sellAsset = query.get('sell_asset');
  const buyAsset = query.get('buy_asset');
  if ((sellAsset === null) === (buyAsset === null))
    return refusal(400, 'give sell_asset or buy_asset, not both');
  const rows = servedCorridors(context).filter(
    ({ corridor }) => sellAsset === corridor.sellAsset || buyAsset === corridor.buyAsset,
  );
  if (rows.length === 0) return refusal(400, 'unsupported asset');
  const listed = rows.map(({ corridor }) => {
    const terms = termsFor(context, corridor.buyAsset);
    const price = ratio(new Amount(1), terms.rate);
    return sellAsset === null
      ? { asset: corridor.sellAsset, price, decimals: stellarPlaces }
      : { asset: corridor.buyAsset, price, decimals: terms.payoutPlaces };
  });
  return json(200, sellAsset === null ? { sell_assets: listed } : { buy_assets: listed });
}

function findServed(context: AnchorContext, request: PriceRequest): ServedCorridor | string {
  const served = servedCorridors(context).find(
    ({ corridor }) =>
      corridor.sellAsset === request.get('sell_asset') && corridor.buyAsset === request.get('buy_asset'),
  );
  if (served === undefined) return 'unsupported asset pair';
  const method = request.get('buy_delivery_method');
  if (method !== undefined && !served.deliveryMethods.includes(method))
    return 'unsupported buy_delivery_method';
  const country = request.get('country_code');
  const own = served.corridor.country;
  if (country !== undefined && own !== undefined && country !== own) return 'unsupported country_code';
  return served;
}

/** Prices a request by this anchor's terms; `contexts` are the values of `context` that are legal here. */
export function priceRequest(
  context: AnchorContext,
  request: PriceRequest,
  contexts: readonly string[],
): PriceResult {
  const temper = context.temper();
  const wanted = request.get('context');
  const old = temper.protocol === 'sep38-old'; // `context` came with a later version of the standard
  if (wanted === undefined ? !old : !contexts.includes(wanted))
    return { error: `Unsupported context. Should be one of [${contexts.join(', ')}].` };
  const served = findServed(context, request);
  if (typeof served === 'string') return { error: served };

  const sell = request.get('sell_amount');
  const buy = request.get('buy_amount');
  const asked = sell ?? buy;
  if (asked === undefined || (sell !== undefined && buy !== undefined))
    return { error: 'give sell_amount or buy_amount, not both' };
  if (!amountForm.test(asked)) return { error: 'amount must be a decimal of at most 7 places' };

  const terms = termsFor(context, served.corridor.buyAsset);
  const price = sell === undefined ? priceForBuy : priceForSell;
  const priced = price(new Amount(asked), terms);
  if (priced === null) return { error: 'amount is too small' };
  if (priced.sell.lt(temper.minAmount))
    return { error: `amount is below the minimum of ${temper.minAmount} USDC` };
  if (priced.sell.gt(temper.maxAmount))
    return { error: `amount is above the maximum of ${temper.maxAmount} USDC` };
  return { priced, served, body: old ? oldPriceBody(priced) : priceBody(priced, served) };
}

function priceBody({ sell, buy, fee }: Priced, { corridor }: ServedCorridor) {
  return {
    total_price: ratio(sell, buy),
    price: ratio(sell.sub(fee), buy),
    sell_amount: sell.toFixed(),
    buy_amount: buy.toFixed(),
    fee: {
      total: fee.toFixed(),
      asset: corridor.sellAsset,
      details: [{ name: 'Service fee', description: 'Simulated', amount: fee.toFixed() }],
    },
  };
}

/** Before total_price and fee: the price is all in, and the fiat has as many places as a Stellar amount. */
function oldPriceBody({ sell, buy }: Priced) {
  return {
    price: ratio(sell, buy),
    sell_amount: sell.toFixed(stellarPlaces),
    buy_amount: buy.toFixed(stellarPlaces),
  };
}

function fromQuery(query: URLSearchParams): PriceRequest {
  return { get: (name) => query.get(name) ?? undefined };
}

/** Prices in today's dialect, or in the old one behind its token, where every fault is a page of HTML. */
export function sep38Routes(context: AnchorContext): Route[] {
  const isOld = () => context.temper().protocol === 'sep38-old';

  function guarded(handle: (exchange: Exchange) => Reply): (exchange: Exchange) => Reply {
    return (exchange) => {
      if (!isOld()) return handle(exchange);
      if (context.partnerToken === null || exchange.bearer !== context.partnerToken)
        return html(403, 'Forbidden');
      const reply = handle(exchange);
      return reply.status < 400 ? reply : html(reply.status, 'Bad request');
    };
  }

  const served = () => spoken[context.temper().protocol].sep38;
  return [
    { label: 'GET /sep38/info', served, handle: () => info(context) },
    { label: 'GET /sep38/prices', served, handle: guarded((exchange) => prices(context, exchange)) },
    {
      label: 'GET /sep38/price',
      served,
      handle: guarded(({ query }) => {
        const result = priceRequest(context, fromQuery(query), ['sep6', 'sep31']);
        return 'error' in result ? refusal(400, result.error) : json(200, result.body);
      }),
    },
  ];
}
