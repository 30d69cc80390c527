import type { EventData, EventName } from '../schemas/events.js';

const exampleHash = 'acffc35a01a279d205d20851c951e760b811d65b6e16f396ed99c108b054f3f7';
const exampleIntent = { intentHash: exampleHash, anchorId: 'harbour', corridor: 'usdc-ngn', amount: '250' };
const exampleDispute = {
  disputeId: 'dsp_019ab5d6c1a04f1b2c3d4e5f60718293a4b5',
  intentHash: exampleHash,
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
};

/** What each event looks like; test deliveries carry it. */
export const eventExamples: { readonly [N in EventName]: EventData<N> } = {
  'intent.settled': { ...exampleIntent, status: 'settled' },
  'intent.failed': { ...exampleIntent, status: 'failed', reason: 'refunded' },
  'dispute.created': {
    ...exampleDispute,
    status: 'open',
    reason: 'The bank says that nothing arrived.',
  },
  'dispute.resolved': { ...exampleDispute, status: 'accepted' },
  'anchor.onboarded': { anchorId: 'harbour', name: 'Harbour', corridors: ['usdc-ngn'], simulated: true },
  'publisher.tick': {
    sequence: 42,
    root: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    headerHash: '4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a',
    size: 128,
    submitted: true,
  },
};
