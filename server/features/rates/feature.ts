import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { ratesContract } from '../../../contract/endpoints/rates.js';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { bodyOf, toApiError } from '../../http/error-mapper.js';
import { rateLimited, showLimit } from '../../http/rate-limit.js';
import { freshAnswer } from '../../http/send-json.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Random } from '../../ports.js';
import type { Streams } from '../../streams/streams.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CacheEpoch } from '../cache/feature.js';
import { createAnchorCalls } from './anchor-calls.js';
import { type AskAnchorDeps, createAskAnchor } from './ask-anchor.js';
import { createFeeInfo } from './fee-info.js';
import { createFxReference } from './fx-reference.js';
import { createRateStreams } from './rate-streams.js';
import { referenceOffers } from './reference-offer.rules.js';
import { createRates } from './service.js';
import type { QuoteReputation } from './worth.rules.js';

/** Upstream calls to one anchor in any one second, from this instance. */
const callsPerSecond = 20;

interface RatesFeatureDeps extends Omit<AskAnchorDeps, 'directory' | 'callAnchor' | 'fees' | 'fx'> {
  directory: AnchorDirectory;
  /** The connector to FX_URL, whose origin it trusts. */
  fxOutbound: Outbound;
  fxUrl: string | undefined;
  fxSource: string | undefined;
  cacheEpoch: Pick<CacheEpoch, 'onEmptied'>;
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  random: Random;
  /** Counts the amounts that a client is the first to ask for. */
  limiter: Pick<RateLimiter, 'take'>;
  streams: Pick<Streams, 'open'>;
  callsPerSecond?: number;
}

/** Live quotes of every anchor of a corridor, ranked, behind caches and a limit on calls to each anchor. */
export function createRatesFeature(deps: RatesFeatureDeps) {
  const fees = createFeeInfo(deps);
  const fx = createFxReference(deps);
  const callAnchor = createAnchorCalls({ callsPerSecond, ...deps });
  const askAnchor = createAskAnchor({ ...deps, callAnchor, fees, fx });
  const { clear, ...rates } = createRates({ ...deps, askAnchor, fx, hasFx: deps.fxUrl !== undefined });
  deps.cacheEpoch.onEmptied(() => clear() + fees.clear() + fx.clear());
  const rateStreams = createRateStreams({
    rates,
    problemOf(error) {
      const known = toApiError(error);
      if (known.code === 'INTERNAL') deps.logger.error({ err: error }, 'rates of a stream failed');
      return bodyOf(known);
    },
  });

  const router = initServer().router(ratesContract, {
    getRates: async ({ params, query, res }) => {
      const admitNew = () => enforceNewAmounts(deps.limiter, res);
      const { answer, freshForMs } = await rates.quote(params.corridor, query, { admitNew });
      const freshness = { seconds: freshForMs / 1_000, countsDown: true, public: deps.publicCache };
      return freshAnswer(res, freshness, answer);
    },
    stream: async ({ params, query, req, res }) => {
      const admitNew = () => enforceNewAmounts(deps.limiter, res);
      const prepare = () => rateStreams.prepare(params.corridor, query, admitNew);
      return { status: 200, body: await deps.streams.open<RatesAnswer>(req, res, prepare) };
    },
  });
  return { router, ...rates, referenceOffers, midMarketOf: fx.rateOf };
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
