import type { publisherContract } from '../endpoints/publisher.js';
import type { PublishedBatch } from '../schemas/publisher.js';
import type { ExamplesOf } from './examples-of.js';
import { exampleCard } from './reputation.js';

/** The first batch of a log of two entries; test/unit/publisher shows that it verifies. */
const exampleBatch = {
  header: {
    version: 1,
    sequence: 1,
    previous: null,
    root: '5a8dd8d12c530b7fbf52aa374dd87b3b8d1fc6c981b2ebb5e464ed87d877e8fe',
    size: 2,
    formula: 'v1',
    createdAt: '2026-11-21T09:30:00.000Z',
    keyId: 'd7e1e084be213b01',
  },
  headerHash: '3597337695aa4b131332349915a4a4a8e204e7013e9269d17917da4ebffd2e2f',
  signature: 'I4T2eQciKENTZXbdriChKLFaYumm9+cegChv/wlMh79oEIC7hZHetgag3XL2ioG8PhFNzD5U7nzkJdm7NVjfDg==',
  publicKey: 'GDKUEB62DFEXPXHUNLN75QV4FZ23KLK2RJBBQT7N7XAAAJHQ4PUNUPKW',
  submittedAt: '2026-11-21T09:30:00.204Z',
  receipt: {
    version: 1,
    sequence: 1,
    headerHash: '3597337695aa4b131332349915a4a4a8e204e7013e9269d17917da4ebffd2e2f',
    receivedAt: '2026-11-21T09:30:00.180Z',
    oracle: 'GBIRYNFBULFVEHPRNOZENOG6RZ4ZPTRDLR7HNMRKHV2QHISIDHOYV6ZN',
    signature: 'lFa4Mnqj05SUWbwh5H79vqxssOnk4cYfg1OjyzH7ikAbtfuaTqxlML6AOcr0lQ3aoWlMMELfxyLkGdGbxboqAQ==',
  },
} satisfies PublishedBatch;

export const publisherExamples: ExamplesOf<typeof publisherContract> = {
  tickPublisher: {
    answer: {
      startedAt: '2026-11-21T09:29:59.950Z',
      finishedAt: '2026-11-21T09:30:00.210Z',
      result: 'published',
      batch: exampleBatch,
      made: [1],
      submitted: [1],
      pending: 0,
      failure: null,
    },
  },
  getPublisherHealth: {
    answer: {
      status: 'ok',
      reason: null,
      checkedAt: '2026-11-21T09:31:00.000Z',
      running: null,
      lastTick: {
        startedAt: '2026-11-21T09:29:59.950Z',
        finishedAt: '2026-11-21T09:30:00.210Z',
        result: 'published',
        failure: null,
      },
      latest: {
        sequence: 1,
        headerHash: exampleBatch.headerHash,
        root: exampleBatch.header.root,
        createdAt: exampleBatch.header.createdAt,
      },
      lastSubmission: {
        sequence: 1,
        headerHash: exampleBatch.headerHash,
        submittedAt: exampleBatch.submittedAt,
      },
      oracle: true,
      pending: 0,
      consecutiveFailures: 0,
      keys: [{ keyId: exampleBatch.header.keyId, publicKey: exampleBatch.publicKey, current: true }],
    },
  },
  listBatches: {
    query: { order: 'asc', limit: '50' },
    answer: { items: [exampleBatch], nextCursor: null },
  },
  getBatch: { params: { sequence: '1' }, answer: exampleBatch },
  listBatchEntries: {
    params: { sequence: '1' },
    query: { limit: '1' },
    answer: {
      sequence: 1,
      start: 0,
      items: [exampleCard],
      nextCursor: 'ZW50cmllcyAxIDE',
    },
  },
  proveBatchEntry: {
    params: { sequence: '1' },
    query: { anchor: 'harbour', corridor: 'usdc-ngn' },
    answer: {
      entry: exampleCard,
      index: 0,
      size: 2,
      leafHash: '39a2dd35d13e050d21a2d458fec02ac86cf293f6c948ac4162108e1efd5a640b',
      proof: ['50ee812b9fdfa19c03d2cc412119329c8397646f1b13d647a9501241d937c2c0'],
      batch: exampleBatch,
    },
  },
};
