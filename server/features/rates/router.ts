import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { ratesContract } from '../../../contract/endpoints/rates.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { rateLimited, showLimit } from '../../http/rate-limit.js';
import { freshAnswer } from '../../http/send-json.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Streams } from '../../streams/streams.js';
import type { createRateStreams } from './rate-streams.js';
import type { Rates } from './service.js';

export function createRatesRouter(deps: {
  rates: Pick<Rates, 'quote'>;
  /** Counts the amounts that a client is the first to ask for. */
  limiter: Pick<RateLimiter, 'take'>;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  streams: Pick<Streams, 'open'>;
  rateStreams: ReturnType<typeof createRateStreams>;
}) {
  return initServer().router(ratesContract, {
    getRates: async ({ params, query, res }) => {
      const admitNew = () => enforceNewAmounts(deps.limiter, res);
      const { answer, freshForMs } = await deps.rates.quote(params.corridor, query, { admitNew });
      const freshness = { seconds: freshForMs / 1_000, countsDown: true, public: deps.publicCache };
      return freshAnswer(res, freshness, answer);
    },
    stream: async ({ params, query, req, res }) => {
      const admitNew = () => enforceNewAmounts(deps.limiter, res);
      const prepare = () => deps.rateStreams.prepare(params.corridor, query, admitNew);
      return { status: 200, body: await deps.streams.open<RatesAnswer>(req, res, prepare) };
    },
  });
}

/**
 * Takes one of the points for amounts that were not requested before. This limit comes on top of the endpoint's own, so
 * the headers show it only if it refuses the request.
 */
async function enforceNewAmounts(limiter: Pick<RateLimiter, 'take'>, res: Response): Promise<void> {
  const { newAmounts } = rateLimitClasses;
  const state = await limiter.take(newAmounts, `newAmounts|${res.locals.clientKey}`);
  if (state.retryAfterSeconds === undefined) return;
  showLimit(res, state);
  const { points, windowSeconds } = newAmounts;
  const message = `More than ${points} amounts in ${windowSeconds} s that nobody asked for lately; amounts that are known are answered.`;
  throw rateLimited(state.retryAfterSeconds, message);
}
