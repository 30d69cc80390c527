import { initServer } from '@ts-rest/express';
import { ratesContract } from '../../../contract/endpoints/rates.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { enforceNewAmounts } from '../../http/rate-limit.js';
import { setFreshness } from '../../http/send-json.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Streams } from '../../streams/streams.js';
import type { RateStreams } from './rate-streams.js';
import type { Rates } from './service.js';

export function createRatesRouter(deps: {
  rates: Pick<Rates, 'quote'>;
  /** Counts the amounts that a client is the first to ask for. */
  limiter: Pick<RateLimiter, 'take'>;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  streams: Pick<Streams, 'open'>;
  rateStreams: RateStreams;
}) {
  return initServer().router(ratesContract, {
    getRates: async ({ params, query, res }) => {
      const admitNew = () => enforceNewAmounts(deps.limiter, res, res.locals.clientKey);
      const { answer, freshForMs } = await deps.rates.quote(params.corridor, query, { admitNew });
      setFreshness(res, { seconds: freshForMs / 1_000, countsDown: true, public: deps.publicCache });
      return { status: 200, body: answer };
    },
    stream: async ({ params, query, req, res }) => {
      const admitNew = () => enforceNewAmounts(deps.limiter, res, res.locals.clientKey);
      const prepare = () => deps.rateStreams.prepare(params.corridor, query, admitNew);
      return { status: 200, body: await deps.streams.open<RatesAnswer>(req, res, prepare) };
    },
  });
}
