import type { EndpointCases } from './cases.js';
import { disputeCases } from './endpoints/disputes.js';
import { intentCases } from './endpoints/intents.js';
import { operatorCases } from './endpoints/operator.js';
import { readCases } from './endpoints/reads.js';
import { webhookCases } from './endpoints/webhooks.js';

/** What is measured of every endpoint of the contract. test/scripts/capacity.test.ts misses none. */
export const endpointCases: EndpointCases = {
  ...readCases,
  ...intentCases,
  ...disputeCases,
  ...operatorCases,
  ...webhookCases,
};
