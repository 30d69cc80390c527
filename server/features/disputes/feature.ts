import { initServer } from '@ts-rest/express';
import { adminDisputesContract, disputesContract } from '../../../contract/endpoints/disputes.js';
import { clientHash } from '../../http/client-key.js';
import { showLimit } from '../../http/rate-limit.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import { createFileDispute, type FileDispute, type FilingDeps } from './filing.js';
import { createDisputeLimits } from './limits.js';
import { createDisputeReview, type DisputeReview, type ReviewDeps } from './review.js';

interface DisputesDeps extends Omit<FilingDeps, 'store' | 'limits'>, ReviewDeps {
  limiter: Pick<RateLimiter, 'take'>;
}

/** The disputes of an intent are read from the store itself (`disputeOf`), which exists before either feature. */
export function createDisputesFeature(deps: DisputesDeps) {
  return {
    router: createDisputesRouter(createFileDispute({ ...deps, limits: createDisputeLimits(deps) })),
    adminRouter: createAdminDisputesRouter(createDisputeReview(deps)),
  };
}

export function createDisputesRouter(file: FileDispute) {
  return initServer().router(disputesContract, {
    fileDispute: async ({ body, res }) => {
      const key: string = res.locals.clientKey;
      const client = { key, hash: clientHash(key) };
      const { created, answer } = await file(body, client, (state) => showLimit(res, state));
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
