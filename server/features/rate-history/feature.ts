import type { Connection } from 'mongoose';
import type { Logger } from '../../ports.js';
import { createRateHistoryRouter } from './router.js';
import { createSampler, type SamplerDeps, samplerLease } from './sampler.js';
import { createRateHistory } from './service.js';
import { createRateSampleStore } from './store.js';

/** Leases to seed at startup. */
export const rateHistoryLeases = [samplerLease] as const;

export interface RateHistoryDeps extends Omit<SamplerDeps, 'store'> {
  connection: Connection;
  logger: Logger;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

/** Records four times per hour what the anchors of every corridor offer at the reference amount. */
export function createRateHistoryFeature(deps: RateHistoryDeps) {
  const isServed = (corridorId: string) => deps.corridors().some(({ id }) => id === corridorId);
  const store = createRateSampleStore(deps.connection);
  const history = createRateHistory({ ...deps, store, isServed });
  const sample = createSampler({ ...deps, store });
  return {
    router: createRateHistoryRouter({ ...deps, history }),
    async sample(): Promise<void> {
      const run = await sample();
      if (run !== undefined && run.taken > 0) deps.logger.info(run, 'rates sampled');
    },
  };
}
