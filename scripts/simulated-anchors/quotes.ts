import { toInstant } from '../../server/ports.js';
import { callerOf, faultReply } from './auth.js';
import type { AnchorContext } from './context.js';
import { fieldsOf, html, json, type Reply, type Route, refusal } from './http.js';
import { spoken } from './sep1.js';
import { priceRequest } from './sep38.js';

const keptLimit = 1_000;
const validMs = 600_000;

/** A firm quote: what it shows, and the instant whose price it keeps. */
export interface FirmQuote {
  id: string;
  createdMs: number;
  expiresMs: number;
  sellAsset: string;
  buyAsset: string;
  sellAmount: string;
  body: Record<string, unknown>;
}

export interface Quotes {
  find(id: string): FirmQuote | undefined;
  add(quote: FirmQuote): void;
}

/** The firm quotes of one anchor, in memory; the oldest make room. They stay readable after they expire. */
export function createQuotes(): Quotes {
  const kept = new Map<string, FirmQuote>();
  return {
    find: (id) => kept.get(id),
    add(quote) {
      const [oldest] = kept.keys();
      if (kept.size >= keptLimit && oldest !== undefined) kept.delete(oldest);
      kept.set(quote.id, quote);
    },
  };
}

/** SEP-38 `POST /quote` and `GET /quote/:id`, for callers with a token. */
export function quoteRoutes(context: AnchorContext, quotes: Quotes): Route[] {
  const served = () => spoken[context.temper().protocol].sep38;
  let count = 0;

  function issue(fields: ReadonlyMap<string, string>): Reply {
    const result = priceRequest(context, fields, ['sep6', 'sep24', 'sep31']);
    if ('error' in result) return faultReply(context, 400, result.error);
    const createdMs = context.clock();
    const expiresMs = createdMs + validMs;
    const wanted = fields.get('expire_after');
    if (wanted !== undefined && !(Date.parse(wanted) <= expiresMs))
      return faultReply(context, 400, 'expire_after is later than a quote can last');
    count += 1;
    const id = `q-${createdMs.toString(36)}-${count}`;
    const method = fields.get('buy_delivery_method');
    const { sellAsset, buyAsset } = result.served.corridor;
    const body = {
      id,
      expires_at: toInstant(expiresMs),
      sell_asset: sellAsset,
      buy_asset: buyAsset,
      ...(method === undefined ? {} : { buy_delivery_method: method }),
      ...result.body,
    };
    quotes.add({
      id,
      createdMs,
      expiresMs,
      sellAsset,
      buyAsset,
      sellAmount: result.priced.sell.toFixed(),
      body,
    });
    return json(201, body);
  }

  return [
    {
      label: 'POST /sep38/quote',
      served,
      async handle(exchange) {
        if (callerOf(context, exchange.bearer) === null) return forbidden(context);
        const fields = await fieldsOf(exchange);
        return fields === null ? faultReply(context, 400, 'the body cannot be read') : issue(fields);
      },
    },
    {
      label: 'GET /sep38/quote/:id',
      served,
      handle({ bearer, id }) {
        if (callerOf(context, bearer) === null) return forbidden(context);
        const quote = quotes.find(id);
        return quote === undefined ? faultReply(context, 404, 'quote not found') : json(200, quote.body);
      },
    },
  ];
}

/** SEP-38 has a body of `error` on its 403, unlike SEP-24. */
function forbidden(context: AnchorContext): Reply {
  return context.temper().protocol === 'sep38-old'
    ? html(403, 'Forbidden')
    : refusal(403, 'a token is required');
}
