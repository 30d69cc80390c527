import type { contract } from '../contract.js';
import { anchorsExamples, corridorsExamples, observationsExamples } from './anchors.js';
import { adminDisputesExamples, disputesExamples } from './disputes.js';
import type { ExamplesOf } from './examples-of.js';
import { intentsExamples, reconcileExamples } from './intents.js';
import { publisherExamples } from './publisher.js';
import { rateHistoryExamples, ratesExamples, snapshotExamples } from './rates.js';
import { reputationExamples, scoresExamples } from './reputation.js';
import { adminCacheExamples, webhooksExamples } from './webhooks.js';

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
