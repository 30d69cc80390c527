import type { Announce } from '../../cache/changes.js';
import { bodyOf, toApiError } from '../../http/error-mapper.js';
import { takeNewAmount } from '../../http/rate-limit.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';

import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { Streams } from '../../streams/streams.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CacheEpoch } from '../cache/epoch.js';
import { createAnchorGate } from './anchor-gate.js';
import { createFeeInfo } from './fee-info.js';
import { createFxReference } from './fx-reference.js';
import { createReadPastAnswer, type FindSampleAsOf } from './past-answer.js';
import { createQuoteSource } from './quote-source.js';
import { createQuoteWatch, type QuoteMeter } from './quote-watch.js';
import { createRateStreams } from './rate-streams.js';
import type { QuoteReputation } from './record.rules.js';
import { referenceOffers } from './reference-offer.rules.js';
import { createReplies } from './replies.js';
import { createRatesRouter } from './router.js';
import { createRates } from './service.js';

export interface RatesLimits {
  /** Upstream calls to one anchor in any one second, from this instance. */
  callsPerSecond: number;
  /** Upstream calls to one anchor at the same time. */
  inFlight: number;
  /** Memory for the anchors' replies; the answers built from them may use the same amount again. */
  cacheBytes: number;
}

const defaultLimits: RatesLimits = { callsPerSecond: 20, inFlight: 20, cacheBytes: 32 * 1024 * 1024 };

export interface RatesFeatureDeps {
  directory: Pick<
    AnchorDirectory,
    'anchors' | 'corridor' | 'anchorsOf' | 'servingVersion' | 'anchor' | 'endpointsOf' | 'tokenFor'
  >;
  /** The connector to the anchors' addresses, which come from others. */
  outbound: Outbound;
  /** The connector to FX_URL, whose origin it trusts. */
  fxOutbound: Outbound;
  fxUrl: string | undefined;
  fxSource: string | undefined;
  fxMaxAgeMs: number;
  cacheEpoch: Pick<CacheEpoch, 'emptied' | 'onEmptied'>;
  meter: QuoteMeter;
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  /** Reads the rate history. */
  findSampleAsOf: FindSampleAsOf;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Counts the amounts that a client is the first to ask for. */
  limiter: Pick<RateLimiter, 'take'>;
  announce: Announce;
  streams: Pick<Streams, 'open'>;
  limits?: Partial<RatesLimits>;
  /** Resolves after this many milliseconds of the clock. */
  wait?: (ms: number) => Promise<unknown>;
}

/** Live quotes of every anchor of a corridor, ranked, behind caches and a limit on calls to each anchor. */
export function createRatesFeature(deps: RatesFeatureDeps) {
  const { cacheEpoch, clock } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const version = () => cacheEpoch.emptied() + deps.directory.servingVersion();

  const fees = createFeeInfo({ ...deps, version: cacheEpoch.emptied });
  const fx = createFxReference({
    ...deps,
    url: deps.fxUrl,
    source: deps.fxSource,
    outbound: deps.fxOutbound,
    maxAgeMs: deps.fxMaxAgeMs,
    version: cacheEpoch.emptied,
  });
  cacheEpoch.onEmptied(() => fees.dropVoid() + fx.dropVoid());

  const gate = createAnchorGate({ ...deps, limits });
  const watch = createQuoteWatch({ ...deps, anchors: deps.directory.anchors() });
  const source = createQuoteSource({ ...deps, gate, fees, fx, watch });
  const replies = createReplies({ source, version, maxBytes: limits.cacheBytes, clock });
  const rates = createRates({
    ...deps,
    replies,
    fx,
    watch,
    version,
    cacheBytes: limits.cacheBytes,
    hasFx: deps.fxUrl !== undefined,
  });
  const rateStreams = createRateStreams({
    ...deps,
    rates,
    payFor: (client) => takeNewAmount(deps.limiter, client),
    problemOf(error) {
      const known = toApiError(error);
      if (known.code === 'INTERNAL') deps.logger.error({ err: error }, 'rates of a stream failed');
      return bodyOf(known);
    },
  });
  const readPastAnswer = createReadPastAnswer(deps);
  const router = createRatesRouter({ ...deps, rates, rateStreams, readPastAnswer });
  /** The reference exchange rate of a corridor. Never rejects because it cannot be read. */
  const midMarketOf = ({ sellCode, currency }: Corridor) => fx.rateOf({ code: sellCode, currency });
  return { router, ...rates, referenceOffers, midMarketOf };
}
