import { initContract } from '@ts-rest/core';
import { anchorsContract } from './endpoints/anchors.js';
import { adminCacheContract } from './endpoints/cache.js';
import { corridorsContract } from './endpoints/corridors.js';
import { adminDisputesContract, disputesContract } from './endpoints/disputes.js';
import { intentsContract, reconcileContract } from './endpoints/intents.js';
import { observationsContract } from './endpoints/observations.js';
import { publisherContract } from './endpoints/publisher.js';
import { rateHistoryContract } from './endpoints/rate-history.js';
import { ratesContract } from './endpoints/rates.js';
import { reputationContract } from './endpoints/reputation.js';
import { scoresContract } from './endpoints/scores.js';
import { snapshotContract } from './endpoints/snapshot.js';
import { webhooksContract } from './endpoints/webhooks.js';

const c = initContract();

/**
 * Every endpoint of the service. Order matters where a fixed path and a template meet: the fixed one comes first, as
 * `/api/reputation/dispute` and `/reconcile` before `/api/reputation/:anchor`.
 */
export const contract = c.router(
  {
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
  },
  { strictStatusCodes: true },
);
