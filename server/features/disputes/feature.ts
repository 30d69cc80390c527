import type { Connection } from 'mongoose';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import { createFileDispute, type FilingDeps } from './filing.js';
import { createDisputeLimits } from './key-limits.js';
import { createDisputeReview, type ReviewDeps } from './review.js';
import { createAdminDisputesRouter, createDisputesRouter } from './router.js';
import { createDisputeWindowStore } from './window-store.js';

interface DisputesDeps extends Omit<FilingDeps, 'store' | 'limits'>, ReviewDeps {
  connection: Connection;
  limiter: Pick<RateLimiter, 'take'>;
}

/** The disputes of an intent are read from the store itself (`disputeOf`), which exists before either feature. */
export function createDisputesFeature(deps: DisputesDeps) {
  const limits = createDisputeLimits({ ...deps, windows: createDisputeWindowStore(deps.connection) });
  return {
    router: createDisputesRouter(createFileDispute({ ...deps, limits })),
    adminRouter: createAdminDisputesRouter(createDisputeReview(deps)),
  };
}
