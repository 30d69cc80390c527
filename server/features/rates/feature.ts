import { bodyOf, toApiError } from '../../http/error-mapper.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { Streams } from '../../streams/streams.js';
import type { Corridor } from '../anchors/fleet-file.rules.js';
import type { AnchorDirectory } from '../anchors/service.js';
import type { CacheEpoch } from '../cache/epoch.js';
import { createAnchorCalls } from './anchor-calls.js';
import { createAskAnchor } from './ask-anchor.js';
import { createFeeInfo } from './fee-info.js';
import { createFxReference } from './fx-reference.js';
import type { QuoteResult } from './offer.rules.js';
import { createNoteOutcome, type QuoteMeter } from './quote-outcomes.js';
import { createRateStreams } from './rate-streams.js';
import { referenceOffers } from './reference-offer.rules.js';
import { createReplies } from './replies.js';
import { createRatesRouter } from './router.js';
import { createRates } from './service.js';
import type { QuoteReputation } from './worth.rules.js';

/** Upstream calls to one anchor in any one second, from this instance. */
const callsPerSecond = 20;

export interface RatesFeatureDeps {
  directory: Pick<
    AnchorDirectory,
    'anchors' | 'corridor' | 'anchorsOf' | 'endpointsOf' | 'tokenFor' | 'noteUnreadable'
  >;
  /** The connector to the anchors' addresses, which come from others. */
  outbound: Outbound;
  /** The connector to FX_URL, whose origin it trusts. */
  fxOutbound: Outbound;
  fxUrl: string | undefined;
  fxSource: string | undefined;
  cacheEpoch: Pick<CacheEpoch, 'onEmptied'>;
  meter: QuoteMeter;
  reputationOf: (anchorId: string, corridorId: string) => QuoteReputation;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Counts the amounts that a client is the first to ask for. */
  limiter: Pick<RateLimiter, 'take'>;
  streams: Pick<Streams, 'open'>;
  callsPerSecond?: number;
}

/** Live quotes of every anchor of a corridor, ranked, behind caches and a limit on calls to each anchor. */
export function createRatesFeature(deps: RatesFeatureDeps) {
  const { cacheEpoch, clock } = deps;
  const fees = createFeeInfo(deps);
  const fx = createFxReference(deps);
  const callAnchor = createAnchorCalls<QuoteResult>({ callsPerSecond, ...deps });
  const noteOutcome = createNoteOutcome({ ...deps, anchors: deps.directory.anchors() });
  const askAnchor = createAskAnchor({ ...deps, callAnchor, fees, fx, noteOutcome });
  const replies = createReplies({ askAnchor, clock });
  cacheEpoch.onEmptied(() => replies.clear() + fees.clear() + fx.clear());
  const rates = createRates({ ...deps, replies, fx, hasFx: deps.fxUrl !== undefined });
  const rateStreams = createRateStreams({
    rates,
    problemOf(error) {
      const known = toApiError(error);
      if (known.code === 'INTERNAL') deps.logger.error({ err: error }, 'rates of a stream failed');
      return bodyOf(known);
    },
  });
  const router = createRatesRouter({ ...deps, rates, rateStreams });
  /** The reference exchange rate of a corridor. Never rejects because it cannot be read. */
  const midMarketOf = ({ sellCode, currency }: Corridor) => fx.rateOf({ code: sellCode, currency });
  return { router, ...rates, referenceOffers, midMarketOf };
}
