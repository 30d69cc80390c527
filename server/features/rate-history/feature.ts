import { initServer } from '@ts-rest/express';
import type { Connection } from 'mongoose';
import { rateHistoryContract } from '../../../contract/endpoints/rates.js';
import type { RateHistoryPage } from '../../../contract/schemas/rate-history.js';
import { mediaTypeOf } from '../../http/negotiation.js';
import { freshAnswer, textBody } from '../../http/send-json.js';
import type { Logger } from '../../ports.js';
import { createSampler, type SamplerDeps } from './sampler.js';
import { createRateHistory } from './service.js';
import { createRateSampleStore } from './store.js';

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
  const takeSamples = createSampler({ ...deps, store });

  const router = initServer().router(rateHistoryContract, {
    getRateHistory: async ({ params: { corridor }, query, req, res }) => {
      res.vary('Accept');
      const isCsv = mediaTypeOf(req.get('accept')) === 'text/csv';
      const made = isCsv ? await history.csv(corridor, query) : await history.page(corridor, query);
      const freshness = { seconds: made.freshForSeconds, public: deps.publicCache };
      const body: RateHistoryPage = 'page' in made ? made.page : textBody('text/csv', made.csv);
      return freshAnswer(res, freshness, body);
    },
  });
  return {
    router,
    async sample(): Promise<void> {
      const taken = await takeSamples();
      if (taken > 0) deps.logger.info({ taken }, 'rates sampled');
    },
  };
}
