import type { Connection } from 'mongoose';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import { createFileDispute, type FilingDeps } from './filing.js';
import { createDisputeLimits } from './key-limits.js';
import { createDisputeReview, type ReviewDeps } from './review.js';
import { createAdminDisputesRouter, createDisputesRouter } from './router.js';
import { createDisputeWindowStore } from './store.js';

export interface DisputesDeps extends Omit<FilingDeps, 'store' | 'limits'>, ReviewDeps {
  connection: Connection;
  limiter: Pick<RateLimiter, 'take'>;
}

export interface Disputes {
  router: ReturnType<typeof createDisputesRouter>;
  adminRouter: ReturnType<typeof createAdminDisputesRouter>;
}

/** The disputes of an intent are read from the store itself (`disputeOf`), which exists before either feature. */
export function createDisputesFeature(deps: DisputesDeps): Disputes {
  const windows = createDisputeWindowStore(deps.connection);
  const limits = createDisputeLimits({ ...deps, windows });
  return {
    router: createDisputesRouter({ file: createFileDispute({ ...deps, limits }) }),
    adminRouter: createAdminDisputesRouter({ review: createDisputeReview(deps) }),
  };
}
