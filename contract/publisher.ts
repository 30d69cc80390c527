import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { anchorId, corridorId, noBody, noQuery, pageQuery } from './primitives.js';
import {
  type BatchEntries,
  type BatchPage,
  batchEntries,
  batchPage,
  type EntryProof,
  entryProof,
  type PublishedBatch,
  type PublisherHealth,
  publishedBatch,
  publisherHealth,
  type TickAnswer,
  tickAnswer,
} from './publisher-answers.js';
import { describeRoute } from './route-metadata.js';
import { exampleCard } from './score-card-example.js';

export * from './publisher-answers.js';

const c = initContract();

const sequenceText = z.string().regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1');

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

const shared = { tag: 'publisher', limit: 'default' } as const;

const tickPublisher = describeRoute({
  ...shared,
  method: 'POST',
  operationId: 'tickPublisher',
  access: 'internal',
  cache: 'no-store',
  errors: ['RUN_IN_PROGRESS'],
  example: {
    answer: {
      startedAt: '2026-11-21T09:29:59.950Z',
      finishedAt: '2026-11-21T09:30:00.210Z',
      result: 'published',
      batch: exampleBatch,
      submitted: [1],
      pending: 0,
      failure: null,
    } satisfies TickAnswer,
  },
});

const getPublisherHealth = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'getPublisherHealth',
  access: 'public',
  limit: 'publisherHealth',
  cache: 'no-store',
  example: {
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
    } satisfies PublisherHealth,
  },
});

const listBatches = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'listBatches',
  access: 'public',
  cache: 'etag',
  example: {
    query: { order: 'asc', limit: '50' },
    answer: { items: [exampleBatch], nextCursor: null } satisfies BatchPage,
  },
});

const getBatch = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'getBatch',
  access: 'public',
  cache: 'etag',
  errors: ['UNKNOWN_BATCH'],
  example: { params: { sequence: '1' }, answer: exampleBatch },
});

const listBatchEntries = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'listBatchEntries',
  access: 'public',
  cache: 'etag',
  errors: ['UNKNOWN_BATCH'],
  example: {
    params: { sequence: '1' },
    query: { limit: '1' },
    answer: {
      sequence: 1,
      start: 0,
      items: [exampleCard],
      nextCursor: 'ZW50cmllcyAxIDE',
    } satisfies BatchEntries,
  },
});

const proveBatchEntry = describeRoute({
  ...shared,
  method: 'GET',
  operationId: 'proveBatchEntry',
  access: 'public',
  cache: 'etag',
  errors: ['UNKNOWN_BATCH'],
  example: {
    params: { sequence: '1' },
    query: { anchor: 'harbour', corridor: 'usdc-ngn' },
    answer: {
      entry: exampleCard,
      index: 0,
      size: 2,
      leafHash: '463871a55f66d8effd6c616de75743045f1f0e8fa0d8e68e51db3decebff375e',
      proof: ['f8d40a9a3306a1a097db8c00b2ae5c78ee03156949e5171b43b22d4d1bf0be59'],
      batch: exampleBatch,
    } satisfies EntryProof,
  },
});

const batchParams = z.object({ sequence: sequenceText.describe('Number of the batch; 1 is the first.') });

export const publisherContract = c.router(
  {
    tickPublisher: {
      method: tickPublisher.method,
      path: '/api/publisher/tick',
      summary: 'Publish the scores and submit them to the oracle',
      description:
        'First submits batches that have no receipt yet, oldest first; then, if the scores differ from those of the ' +
        'latest batch, signs a new one and submits it. Answers 200 with what it did, also where the oracle failed ' +
        '(`failure` then says how); 409 while another tick is under way. The body may be empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: tickAnswer, ...tickPublisher.errors },
      metadata: tickPublisher.metadata,
    },
    getPublisherHealth: {
      method: getPublisherHealth.method,
      path: '/api/publisher/health',
      summary: 'Read how the publisher is',
      description:
        'Whether batches are made and reach the oracle, the last tick, the latest batch with and without a receipt, ' +
        'and the keys. Judged by the clock of the database.',
      query: noQuery,
      responses: { 200: publisherHealth, ...getPublisherHealth.errors },
      metadata: getPublisherHealth.metadata,
    },
    listBatches: {
      method: listBatches.method,
      path: '/api/publisher/batches',
      summary: 'List the published batches',
      description:
        'The signed headers with their receipts, newest first; `order=asc` begins with the first, as a verifier of ' +
        'the chain wants them, and `from` begins with that sequence.',
      query: z
        .object({
          order: z.enum(['asc', 'desc']).optional().describe('`desc`, newest first, when absent.'),
          from: sequenceText.optional().describe('Sequence to begin with.'),
          ...pageQuery,
        })
        .strict(),
      responses: { 200: batchPage, ...listBatches.errors },
      metadata: listBatches.metadata,
    },
    getBatch: {
      method: getBatch.method,
      path: '/api/publisher/batches/:sequence',
      summary: 'Read one batch',
      description: 'The signed header of a batch, its signature, the key, and the receipt of the oracle.',
      pathParams: batchParams,
      query: noQuery,
      responses: { 200: publishedBatch, ...getBatch.errors },
      metadata: getBatch.metadata,
    },
    listBatchEntries: {
      method: listBatchEntries.method,
      path: '/api/publisher/batches/:sequence/entries',
      summary: 'List the entries of a batch',
      description:
        'The score cards of window 30 as they stood when the batch was made, in the order in which they were hashed: ' +
        'by anchor, then corridor. They never change.',
      pathParams: batchParams,
      query: z.object(pageQuery).strict(),
      responses: { 200: batchEntries, ...listBatchEntries.errors },
      metadata: listBatchEntries.metadata,
    },
    proveBatchEntry: {
      method: proveBatchEntry.method,
      path: '/api/publisher/batches/:sequence/proof',
      summary: 'Prove that a score is in a batch',
      description:
        'The entry of an anchor in a corridor, and the hashes that lead from it to the root of the signed header. ' +
        '`verifyEntry` and `verifyBatch` of the contract package check them; docs/publisher.md tells how by hand.',
      pathParams: batchParams,
      query: z.object({ anchor: anchorId, corridor: corridorId }).strict(),
      responses: { 200: entryProof, ...proveBatchEntry.errors },
      metadata: proveBatchEntry.metadata,
    },
  },
  { strictStatusCodes: true },
);
