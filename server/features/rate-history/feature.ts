import type { Logger } from '../../ports.js';
import { createRateHistoryRouter } from './router.js';
import { createSampler, type SamplerDeps, samplerLease } from './sampler.js';
import { createRateHistory } from './service.js';
import type { RateSampleStore } from './store.js';

/** Leases to seed at startup. */
export const rateHistoryLeases = [samplerLease] as const;

export interface RateHistoryDeps extends SamplerDeps {
  store: RateSampleStore;
  logger: Logger;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

/** Records four times per hour what the anchors of every corridor offer at the reference amount. */
export function createRateHistoryFeature(deps: RateHistoryDeps) {
  const isServed = (corridorId: string) => deps.corridors().some(({ id }) => id === corridorId);
  const history = createRateHistory({ ...deps, isServed });
  const sample = createSampler(deps);
  return {
    router: createRateHistoryRouter({ ...deps, history }),
    async sample(): Promise<void> {
      const run = await sample();
      if (run !== undefined && run.taken > 0) deps.logger.info(run, 'rates sampled');
    },
  };
}
