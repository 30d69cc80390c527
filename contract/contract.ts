import { initContract } from '@ts-rest/core';
import { adminCacheContract } from './admin-cache.js';
import { anchorsContract } from './anchors.js';
import { corridorsContract } from './corridors.js';
import { adminDisputesContract, disputesContract } from './disputes.js';
import { intentsContract } from './intents.js';
import { publisherContract } from './publisher.js';
import { ratesContract } from './rates.js';
import { reconcileContract } from './reconcile.js';
import { reputationContract } from './reputation.js';
import { scoresContract } from './scores.js';
import { snapshotContract } from './snapshot.js';
import { webhooksContract } from './webhooks.js';

const c = initContract();

/**
 * Every endpoint of the service. Order matters where a fixed path and a template meet: the fixed one comes first, as
 * `/api/reputation/dispute` and `/reconcile` before `/api/reputation/:anchor`.
 */
export const contract = c.router(
  {
    rates: ratesContract,
    corridors: corridorsContract,
    anchors: anchorsContract,
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
