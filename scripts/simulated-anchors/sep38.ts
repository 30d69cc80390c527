import { usdc } from '../simulated-ledger/payments.js';
import { type AnchorContext, type ServedCorridor, servedCorridors, termsFor } from './context.js';
import { bearerOf } from './identity.js';
import {
  Amount,
  amountForm,
  type Priced,
  priceForBuy,
  priceForSell,
  ratio,
  stellarPlaces,
} from './pricing.js';
import { offered } from './profiles.js';
import { type AddRoute, fieldsOf, Refusal } from './server.js';

/** SEP-38: indicative prices. An anchor of the old version asks for its partner token. Nobody asks for firm quotes here. */
export function addSep38(route: AddRoute, context: AnchorContext): void {
  const sep38 = { offered: () => offered[context.profile().protocol].sep38 };
  route('GET /sep38/info', sep38, (_, response) => response.json(info(context)));
  route('GET /sep38/price', sep38, ({ headers, query }, response) => {
    const isPartner = bearerOf(headers.authorization) === (context.partnerToken ?? undefined);
    if (context.profile().protocol === 'sep38-old' && !isPartner) throw new Refusal(403, 'Forbidden');
    response.json(priceRequest(context, fieldsOf(query)));
  });
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

function findServed(context: AnchorContext, request: ReadonlyMap<string, string>): ServedCorridor {
  const served = servedCorridors(context).find(
    ({ corridor }) =>
      corridor.sellAsset === request.get('sell_asset') && corridor.buyAsset === request.get('buy_asset'),
  );
  if (served === undefined) throw new Refusal(400, 'unsupported asset pair');
  const method = request.get('buy_delivery_method');
  if (method !== undefined && !served.deliveryMethods.includes(method))
    throw new Refusal(400, 'unsupported buy_delivery_method');
  return served;
}

const contexts = ['sep6', 'sep31'];

/** Prices a request by this anchor's terms. */
function priceRequest(context: AnchorContext, request: ReadonlyMap<string, string>) {
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
  return old ? oldPriceBody(priced) : priceBody(priced, served);
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
