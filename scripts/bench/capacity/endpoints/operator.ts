import { randomBytes } from 'node:crypto';
import { encodePublicKey } from '../../../../contract/verification/strkey.js';
import { settledIntent } from '../../lib/settled-intent.js';
import { alone, type EndpointCases, same } from '../cases.js';
import type { EndpointRequest } from '../client.js';
import { adminHeaders, type CapacityWorld, cronHeaders } from '../world.js';

const outcomes = 200;
const job = (path: string): EndpointRequest => ({
  method: 'POST',
  path,
  headers: cronHeaders,
  expect: [200],
});
const refresh = job('/api/reputation/refresh');
const tick = job('/api/publisher/tick');

async function addOutcomes(world: CapacityWorld): Promise<void> {
  const settled = Array.from({ length: outcomes }, () => settledIntent(encodePublicKey(randomBytes(32))));
  await world.insertIntents(settled);
}

/** Makes outcomes, and scores of them that have not been published yet. */
async function changeScores(world: CapacityWorld): Promise<void> {
  await addOutcomes(world);
  await world.ask(refresh);
}

/** Publishes the first batches, for the reads. */
export async function publish(world: CapacityWorld): Promise<void> {
  await changeScores(world);
  await world.ask(tick);
}

export const operatorCases: EndpointCases = {
  invalidateCache: [
    {
      state: 'everything',
      requests: 20,
      prepare: same({
        method: 'POST',
        path: '/api/admin/cache/invalidate',
        headers: adminHeaders,
        body: {},
        expect: [200],
      }),
    },
  ],
  refreshReputation: [
    { state: 'nothing new', requests: 5, prepare: same(refresh), beforeEach: alone },
    { state: `${outcomes} outcomes to count`, requests: 5, prepare: same(refresh), beforeEach: addOutcomes },
  ],
  tickPublisher: [
    { state: 'new scores, submitted', requests: 5, prepare: same(tick), beforeEach: changeScores },
    { state: 'nothing new', requests: 5, prepare: same(tick), beforeEach: alone },
  ],
  observeAnchors: [
    {
      state: 'a round over the fleet',
      requests: 2,
      prepare: same(job('/api/observations/round')),
      beforeEach: alone,
    },
  ],
};
