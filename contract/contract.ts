import { anchorsContract } from './endpoints/anchors.js';
import { adminCacheContract } from './endpoints/cache.js';
import { corridorsContract, snapshotContract } from './endpoints/corridors.js';
import { adminDisputesContract, disputesContract } from './endpoints/disputes.js';
import { intentsContract, reconcileContract } from './endpoints/intents.js';
import { observationsContract } from './endpoints/observations.js';
import { publisherContract } from './endpoints/publisher.js';
import { rateHistoryContract, ratesContract } from './endpoints/rates.js';
import { reputationContract, scoresContract } from './endpoints/reputation.js';
import { webhooksContract } from './endpoints/webhooks.js';

/**
 * Every endpoint of the service. Order matters where a fixed path and a template meet: the fixed one comes first, as
 * `/api/reputation/dispute` and `/reconcile` before `/api/reputation/:anchor`. The type refers to those of the endpoints;
 * an inferred one would repeat all of them in the declarations of the package.
 */
export const contract: {
  rates: typeof ratesContract;
  rateHistory: typeof rateHistoryContract;
  corridors: typeof corridorsContract;
  anchors: typeof anchorsContract;
  observations: typeof observationsContract;
  snapshot: typeof snapshotContract;
  intents: typeof intentsContract;
  disputes: typeof disputesContract;
  reconcile: typeof reconcileContract;
  reputation: typeof reputationContract;
  scores: typeof scoresContract;
  publisher: typeof publisherContract;
  adminDisputes: typeof adminDisputesContract;
  adminCache: typeof adminCacheContract;
  webhooks: typeof webhooksContract;
} = {
  rates: ratesContract,
  rateHistory: rateHistoryContract,
  corridors: corridorsContract,
  anchors: anchorsContract,
  observations: observationsContract,
  snapshot: snapshotContract,
  intents: intentsContract,
  disputes: disputesContract,
  reconcile: reconcileContract,
  reputation: reputationContract,
  scores: scoresContract,
  publisher: publisherContract,
  adminDisputes: adminDisputesContract,
  adminCache: adminCacheContract,
  webhooks: webhooksContract,
};
