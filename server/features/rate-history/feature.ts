import type { Logger } from '../../ports.js';
import { createSampler, type SamplerDeps, samplerLease } from './sampler.js';

/** To be seeded at boot. */
export const rateHistoryLeases = [samplerLease] as const;

/** What the anchors of every corridor offered at the reference amount, four times an hour. */
export function createRateHistoryFeature(deps: SamplerDeps & { logger: Logger }) {
  const sample = createSampler(deps);
  return {
    async sample(): Promise<void> {
      const run = await sample();
      if (run !== undefined && run.taken + run.removed > 0) deps.logger.info(run, 'rates sampled');
    },
  };
}
