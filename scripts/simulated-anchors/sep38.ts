import type { Request } from 'express';
import { toInstant } from '../../server/ports.js';
import { type AnchorContext, type ServedCorridor, servedCorridors, termsFor } from './context.js';
import { usdc } from './corridors.js';
import { bearerOf, callerOf } from './identity.js';
import {
  Amount,
  amountForm,
  type Priced,
  priceForBuy,
  priceForSell,
  ratio,
  stellarPlaces,
} from './pricing.js';
import { offered } from './sep1.js';
import { type AddRoute, fieldsOf, Refusal } from './server.js';

const quotesKept = 1_000;
const quoteValidMs = 600_000;

/** A firm quote: the answer given for it, and the instant whose price it keeps. */
export interface FirmQuote {
  id: string;
  createdMs: number;
  expiresMs: number;
  buyAsset: string;
  sellAmount: string;
  body: Record<string, unknown>;
}

export interface Quotes {
  find(id: string): FirmQuote | undefined;
  add(quote: FirmQuote): void;
}

/** The firm quotes of one anchor, in memory. Expired ones stay readable until newer ones need the space. */
export function createQuotes(): Quotes {
  const kept = new Map<string, FirmQuote>();
  return {
    find: (id) => kept.get(id),
    add(quote) {
      const [oldest] = kept.keys();
      if (kept.size >= quotesKept && oldest !== undefined) kept.delete(oldest);
      kept.set(quote.id, quote);
    },
  };
}

/** SEP-38: indicative prices and firm quotes. An anchor of the old version asks for its partner token. */
export function addSep38(route: AddRoute, context: AnchorContext, quotes: Quotes): void {
  const sep38 = { offered: () => offered[context.profile().protocol].sep38 };
  let quoteCount = 0;

  function requirePartnerInOldVersion({ headers }: Request): void {
    if (context.profile().protocol !== 'sep38-old') return;
    if (context.partnerToken === null || bearerOf(headers.authorization) !== context.partnerToken)
      throw new Refusal(403, 'Forbidden');
  }

  /** SEP-38 answers 403 with `error`, unlike SEP-24. */
  function requireCaller({ headers }: Request): void {
    if (callerOf(context.partnerToken, headers.authorization) === null)
      throw new Refusal(403, 'a token is required');
  }

  function issueQuote(fields: ReadonlyMap<string, string>): FirmQuote {
    const { body, priced, served } = priceRequest(context, fields, ['sep6', 'sep24', 'sep31']);
    const createdMs = context.clock();
    const expiresMs = createdMs + quoteValidMs;
    const wanted = fields.get('expire_after');
    if (wanted !== undefined && !(Date.parse(wanted) <= expiresMs))
      throw new Refusal(400, 'expire_after is later than a quote can last');
    quoteCount += 1;
    const id = `q-${createdMs.toString(36)}-${quoteCount}`;
    const method = fields.get('buy_delivery_method');
    const { sellAsset, buyAsset } = served.corridor;
    const shown = {
      id,
      expires_at: toInstant(expiresMs),
      sell_asset: sellAsset,
      buy_asset: buyAsset,
      ...(method === undefined ? {} : { buy_delivery_method: method }),
      ...body,
    };
    return { id, createdMs, expiresMs, buyAsset, sellAmount: priced.sell.toFixed(), body: shown };
  }

  route('GET /sep38/info', (_request, response) => response.json(info(context)), sep38);
  route(
    'GET /sep38/prices',
    (request, response) => {
      requirePartnerInOldVersion(request);
      response.json(prices(context, fieldsOf(request.query)));
    },
    sep38,
  );
  route(
    'GET /sep38/price',
    (request, response) => {
      requirePartnerInOldVersion(request);
      response.json(priceRequest(context, fieldsOf(request.query), ['sep6', 'sep31']).body);
    },
    sep38,
  );
  route(
    'POST /sep38/quote',
    (request, response) => {
      requireCaller(request);
      const quote = issueQuote(fieldsOf(request.body));
      quotes.add(quote);
      response.status(201).json(quote.body);
    },
    sep38,
  );
  route(
    'GET /sep38/quote/:id',
    (request, response) => {
      requireCaller(request);
      const quote = quotes.find(request.params.id ?? '');
      if (quote === undefined) throw new Refusal(404, 'quote not found');
      response.json(quote.body);
    },
    sep38,
  );
}

function info(context: AnchorContext) {
  const fiat = servedCorridors(context).map(({ corridor, deliveryMethods }) => ({
    asset: corridor.buyAsset,
    ...(corridor.country === undefined ? {} : { country_codes: [corridor.country] }),
    buy_delivery_methods: deliveryMethods.map((name) => ({
      name,
      description: `Simulated payout by ${name}`,
    })),
  }));
  return { assets: [{ asset: usdc }, ...fiat] };
}

/** Indicative prices of one unit, `price` in sell units per buy unit whichever side was named. */
function prices(context: AnchorContext, query: ReadonlyMap<string, string>) {
  const sellAsset = query.get('sell_asset');
  const buyAsset = query.get('buy_asset');
  if ((sellAsset === undefined) === (buyAsset === undefined))
    throw new Refusal(400, 'give sell_asset or buy_asset, not both');
  const matching = servedCorridors(context).filter(
    ({ corridor }) => sellAsset === corridor.sellAsset || buyAsset === corridor.buyAsset,
  );
  if (matching.length === 0) throw new Refusal(400, 'unsupported asset');
  const listed = matching.map(({ corridor }) => {
    const terms = termsFor(context, corridor.buyAsset);
    const price = ratio(new Amount(1), terms.rate);
    return sellAsset === undefined
      ? { asset: corridor.sellAsset, price, decimals: stellarPlaces }
      : { asset: corridor.buyAsset, price, decimals: terms.payoutPlaces };
  });
  return sellAsset === undefined ? { sell_assets: listed } : { buy_assets: listed };
}

function findServed(context: AnchorContext, request: ReadonlyMap<string, string>): ServedCorridor {
  const served = servedCorridors(context).find(
    ({ corridor }) =>
      corridor.sellAsset === request.get('sell_asset') && corridor.buyAsset === request.get('buy_asset'),
  );
  if (served === undefined) throw new Refusal(400, 'unsupported asset pair');
  const method = request.get('buy_delivery_method');
  if (method !== undefined && !served.deliveryMethods.includes(method))
    throw new Refusal(400, 'unsupported buy_delivery_method');
  const country = request.get('country_code');
  const own = served.corridor.country;
  if (country !== undefined && own !== undefined && country !== own)
    throw new Refusal(400, 'unsupported country_code');
  return served;
}

/** Prices a request by this anchor's terms; `contexts` are the values of `context` that are valid here. */
function priceRequest(
  context: AnchorContext,
  request: ReadonlyMap<string, string>,
  contexts: readonly string[],
) {
  const { protocol, priceFactor, minAmount, maxAmount } = context.profile();
  const wanted = request.get('context');
  const old = protocol === 'sep38-old'; // `context` came with a later version of the standard
  if (wanted === undefined ? !old : !contexts.includes(wanted))
    throw new Refusal(400, `Unsupported context. Should be one of [${contexts.join(', ')}].`);
  const served = findServed(context, request);

  const sell = request.get('sell_amount');
  const buy = request.get('buy_amount');
  const asked = sell ?? buy;
  if (asked === undefined || (sell !== undefined && buy !== undefined))
    throw new Refusal(400, 'give sell_amount or buy_amount, not both');
  if (!amountForm.test(asked)) throw new Refusal(400, 'amount must be a decimal of at most 7 places');

  const price = sell === undefined ? priceForBuy : priceForSell;
  const terms = termsFor(context, served.corridor.buyAsset);
  const quoted = { ...terms, rate: terms.rate.mul(priceFactor).toSignificantDigits(14) };
  const priced = price(new Amount(asked), quoted);
  if (priced === null) throw new Refusal(400, 'amount is too small');
  if (priced.sell.lt(minAmount)) throw new Refusal(400, `amount is below the minimum of ${minAmount} USDC`);
  if (priced.sell.gt(maxAmount)) throw new Refusal(400, `amount is above the maximum of ${maxAmount} USDC`);
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

/** Without total_price and fee: the price includes all fees, and the fiat has as many places as a Stellar amount. */
function oldPriceBody({ sell, buy }: Priced) {
  return {
    price: ratio(sell, buy),
    sell_amount: sell.toFixed(stellarPlaces),
    buy_amount: buy.toFixed(stellarPlaces),
  };
}
