import type { contract } from '../contract.js';
import { anchorsExamples } from './anchors.js';
import { adminCacheExamples } from './cache.js';
import { corridorsExamples } from './corridors.js';
import { adminDisputesExamples, disputesExamples } from './disputes.js';
import type { ExamplesOf } from './examples-of.js';
import { intentsExamples, reconcileExamples } from './intents.js';
import { observationsExamples } from './observations.js';
import { publisherExamples } from './publisher.js';
import { rateHistoryExamples } from './rate-history.js';
import { ratesExamples } from './rates.js';
import { reputationExamples } from './reputation.js';
import { scoresExamples } from './scores.js';
import { snapshotExamples } from './snapshot.js';
import { webhooksExamples } from './webhooks.js';

/** The examples of all operations, in the shape of the contract. No code that a front end loads imports this folder. */
export const examples: ExamplesOf<typeof contract> = {
  rates: ratesExamples,
  rateHistory: rateHistoryExamples,
  corridors: corridorsExamples,
  anchors: anchorsExamples,
  observations: observationsExamples,
  snapshot: snapshotExamples,
  intents: intentsExamples,
  disputes: disputesExamples,
  reconcile: reconcileExamples,
  reputation: reputationExamples,
  scores: scoresExamples,
  publisher: publisherExamples,
  adminDisputes: adminDisputesExamples,
  adminCache: adminCacheExamples,
  webhooks: webhooksExamples,
};
