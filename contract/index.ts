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
  },
  { strictStatusCodes: true },
);

export * from './admin-cache.js';
export * from './anchors.js';
export * from './canonical-json.js';
export * from './corridors.js';
export * from './currencies.js';
export * from './disputes.js';
export * from './errors.js';
export * from './events.js';
export * from './intent-answer.js';
export * from './intent-hash.js';
// The function takes the name; the schema of the same name stays with primitives.
export { intentHash } from './intent-hash.js';
export * from './intents.js';
export * from './merkle.js';
export * from './primitives.js';
export * from './publisher.js';
export * from './publisher-answers.js';
export * from './rate-limits.js';
export * from './rates.js';
export * from './reconcile.js';
export * from './reputation.js';
export * from './route-metadata.js';
export * from './score-card.js';
export * from './scores.js';
export * from './sep53.js';
export * from './sign-dispute.js';
export * from './snapshot.js';
export * from './strkey.js';
export * from './verify-batch.js';
export * from './verify-receipt.js';
export * from './verify-webhook.js';
