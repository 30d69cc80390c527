import { initServer } from '@ts-rest/express';
import type { MediaType } from '../../../contract/describe-route.js';
import { rateHistoryContract } from '../../../contract/endpoints/rate-history.js';
import type { RateHistoryPage } from '../../../contract/schemas/rate-history.js';
import { mediaTypeFor } from '../../http/media-type.js';
import { setMaxAge } from '../../http/send-json.js';
import { streamedBody } from '../../http/streamed-body.js';
import type { RateHistory } from './service.js';

const streamedTypes = Object.keys(rateHistoryContract.getRateHistory.metadata.alsoAs ?? {}) as MediaType[];

export function createRateHistoryRouter(deps: {
  history: RateHistory;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}) {
  const { history, publicCache } = deps;
  return initServer().router(rateHistoryContract, {
    getRateHistory: async ({ params: { corridor }, query, req, res }) => {
      res.vary('Accept');
      const type = mediaTypeFor(req.get('accept'), streamedTypes);
      // The response cache distinguishes answers by their URL alone, so it must not store any of these media types.
      if (type === 'application/json') {
        const { page, freshForSeconds } = await history.page(corridor, query);
        setMaxAge(res, { seconds: freshForSeconds, public: publicCache });
        return { status: 200, body: page };
      }
      const { freshForSeconds, ...stream } = await history.stream(corridor, query, type);
      setMaxAge(res, { seconds: freshForSeconds, public: publicCache });
      return { status: 200, body: streamedBody<RateHistoryPage>({ type, ...stream }) };
    },
  });
}
