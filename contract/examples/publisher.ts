import type { publisherContract } from '../endpoints/publisher.js';
import type { PublishedBatch } from '../schemas/publisher.js';
import type { ExamplesOf } from './examples-of.js';
import { exampleCard } from './score-card.js';

/** The first batch of a log of two entries; test/unit/publisher shows that it verifies. */
const exampleBatch = {
  header: {
    version: 1,
    sequence: 1,
    previous: null,
    root: 'bdb13e9472f4ae154528186f7b63886590f488fcfbae8ab9ddc22e8d6c633c62',
    size: 2,
    formula: 'v1',
    createdAt: '2026-11-21T09:30:00.000Z',
    keyId: 'd7e1e084be213b01',
  },
  headerHash: '8f202cbc55e431b948703f10acec8a7fd14feee4727f7c88ddf35d6843ded2e7',
  signature: 'lgAOZE8v608kA7tOPps/1BhzEzEBVmzLNlaSCAZvVrp9w0FI2KKgDHa8k95dwLRkf+FJYZ4SrMpWtPmFyeFKAg==',
  publicKey: 'GDKUEB62DFEXPXHUNLN75QV4FZ23KLK2RJBBQT7N7XAAAJHQ4PUNUPKW',
  submittedAt: '2026-11-21T09:30:00.204Z',
  receipt: {
    version: 1,
    sequence: 1,
    headerHash: '8f202cbc55e431b948703f10acec8a7fd14feee4727f7c88ddf35d6843ded2e7',
    receivedAt: '2026-11-21T09:30:00.180Z',
    oracle: 'GBIRYNFBULFVEHPRNOZENOG6RZ4ZPTRDLR7HNMRKHV2QHISIDHOYV6ZN',
    signature: 'rjCRIhPbeeIDPGEn6tOPqscuVo10TBnp/QYQ0/2zUOp2O51Xt4mqg6JGNNSHHXnd5k5IoxqfMf/A1LdAH0XDBQ==',
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
      leafHash: '463871a55f66d8effd6c616de75743045f1f0e8fa0d8e68e51db3decebff375e',
      proof: ['f8d40a9a3306a1a097db8c00b2ae5c78ee03156949e5171b43b22d4d1bf0be59'],
      batch: exampleBatch,
    },
  },
};
