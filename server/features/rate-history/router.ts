import { initServer } from '@ts-rest/express';
import { rateHistoryContract } from '../../../contract/endpoints/rates.js';
import { mediaTypeOf } from '../../http/negotiation.js';
import { setFreshness, textBody } from '../../http/send-json.js';
import type { RateHistory } from './service.js';

export function createRateHistoryRouter(deps: {
  history: RateHistory;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}) {
  const { history, publicCache } = deps;
  return initServer().router(rateHistoryContract, {
    getRateHistory: async ({ params: { corridor }, query, req, res }) => {
      res.vary('Accept');
      const isCsv = mediaTypeOf(req.get('accept')) === 'text/csv';
      const { freshForSeconds, ...made } = isCsv
        ? await history.csv(corridor, query)
        : await history.page(corridor, query);
      setFreshness(res, { seconds: freshForSeconds, public: publicCache });
      return { status: 200, body: 'page' in made ? made.page : textBody('text/csv', made.csv) };
    },
  });
}
