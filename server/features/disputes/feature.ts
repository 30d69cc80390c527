import { initServer } from '@ts-rest/express';
import { adminDisputesContract, disputesContract } from '../../../contract/endpoints/disputes.js';
import { showLimit } from '../../http/rate-limit.js';
import { createFileDispute, type FileDispute, type FilingDeps, type ShowLimit } from './filing.js';
import { createDisputeReview, type DisputeReview, type ReviewDeps } from './review.js';

/** The disputes of an intent are read from the store itself (`disputeOf`), which exists before either feature. */
export function createDisputesFeature(deps: FilingDeps & ReviewDeps) {
  return {
    router: createDisputesRouter(createFileDispute(deps)),
    adminRouter: createAdminDisputesRouter(createDisputeReview(deps)),
  };
}

export function createDisputesRouter(file: FileDispute) {
  return initServer().router(disputesContract, {
    fileDispute: async ({ body, res }) => {
      const show: ShowLimit = (state) => showLimit(res, state);
      const { created, answer } = await file(body, res.locals.clientKey, show);
      if (!created) return { status: 200, body: answer };
      // A dispute is read as part of its intent.
      res.setHeader('Location', `/api/intent/${answer.intentHash}`);
      return { status: 201, body: answer };
    },
  });
}

export function createAdminDisputesRouter(review: DisputeReview) {
  return initServer().router(adminDisputesContract, {
    listDisputes: async ({ query }) => ({ status: 200, body: await review.list(query) }),
    getDispute: async ({ params }) => ({ status: 200, body: await review.get(params.id) }),
    resolveDispute: async ({ body }) => ({ status: 200, body: await review.resolve(body) }),
  });
}
