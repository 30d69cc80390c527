import { initServer } from '@ts-rest/express';
import { adminDisputesContract, disputesContract } from '../../../contract/endpoints/disputes.js';
import { showLimit } from '../../http/rate-limit.js';
import { createFileDispute, type FilingDeps } from './filing.js';
import { createDisputeReview, type ReviewDeps } from './review.js';

/** The disputes of an intent are read from the store itself (`disputeOf`), which exists before either feature. */
export function createDisputesFeature(deps: FilingDeps & ReviewDeps) {
  const file = createFileDispute(deps);
  const review = createDisputeReview(deps);
  const router = initServer().router(disputesContract, {
    fileDispute: async ({ body, res }) => {
      const { created, answer } = await file(body, res.locals.clientKey, (state) => showLimit(res, state));
      if (!created) return { status: 200, body: answer };
      // A dispute is read as part of its intent.
      res.setHeader('Location', `/api/intent/${answer.intentHash}`);
      return { status: 201, body: answer };
    },
  });
  const adminRouter = initServer().router(adminDisputesContract, {
    listDisputes: async ({ query }) => ({ status: 200, body: await review.list(query) }),
    getDispute: async ({ params }) => ({ status: 200, body: await review.get(params.id) }),
    resolveDispute: async ({ body }) => ({ status: 200, body: await review.resolve(body) }),
  });
  return { router, adminRouter };
}
