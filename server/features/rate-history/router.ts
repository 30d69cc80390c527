import { initServer } from '@ts-rest/express';
import { rateHistoryContract } from '../../../contract/endpoints/rate-history.js';
import type { RateHistoryPage } from '../../../contract/schemas/rate-history.js';
import { mediaTypeOf } from '../../http/media-type.js';
import { setFreshness } from '../../http/send-json.js';
import { streamedBody } from '../../http/streamed-body.js';
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
      const type = mediaTypeOf(req.get('accept'));
      if (type !== 'text/csv') {
        const { page, freshForSeconds } = await history.page(corridor, query);
        setFreshness(res, { seconds: freshForSeconds, public: publicCache });
        return { status: 200, body: page };
      }
      const { freshForSeconds, ...file } = await history.csv(corridor, query);
      setFreshness(res, { seconds: freshForSeconds, public: publicCache });
      return { status: 200, body: streamedBody<RateHistoryPage>({ type, ...file }) };
    },
  });
}
