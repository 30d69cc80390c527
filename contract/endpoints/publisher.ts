import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { anchorInRequest, corridorInRequest, noBody, noQuery, pageQuery } from '../schemas/primitives.js';
import {
  batchEntries,
  batchPage,
  entryProof,
  publishedBatch,
  publisherHealth,
  tickAnswer,
} from '../schemas/publisher.js';

const c = initContract();

const sequenceText = z.string().regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1');

const shared = { tag: 'publisher', limit: 'default' } as const;

const batchParams = z.object({ sequence: sequenceText.describe('Number of the batch; 1 is the first.') });

export const publisherContract = c.router(
  {
    tickPublisher: describeRoute({
      ...shared,
      method: 'POST',
      path: '/api/publisher/tick',
      operationId: 'tickPublisher',
      access: 'internal',
      cache: 'no-store',
      errors: ['RUN_IN_PROGRESS'],
      summary: 'Publish the scores and submit them to the oracle',
      description:
        'First submits batches that have no receipt yet, oldest first; then, if the scores differ from those of the ' +
        'latest batch, signs a new one and submits it. Answers 200 with what it did, even if the oracle failed ' +
        '(`failure` then says how); 409 while another tick is under way. The body may be empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: tickAnswer },
    }),
    getPublisherHealth: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/publisher/health',
      operationId: 'getPublisherHealth',
      access: 'public',
      limit: 'publisherHealth',
      cache: 'etag',
      leadsTo: {
        getBatch: { sequence: '$response.body#/latest/sequence' },
      },
      summary: 'Read the state of the publisher',
      description:
        'Whether batches are made and reach the oracle, the last tick, the latest batch with and without a receipt, ' +
        'and the keys.',
      query: noQuery,
      responses: { 200: publisherHealth },
    }),
    listBatches: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/publisher/batches',
      operationId: 'listBatches',
      access: 'public',
      cache: 'etag',
      leadsTo: {
        getBatch: { sequence: '$response.body#/items/0/header/sequence' },
        listBatchEntries: { sequence: '$response.body#/items/0/header/sequence' },
      },
      summary: 'List the published batches',
      description:
        'The signed headers with their receipts, newest first. `order=asc` begins with the oldest, which a verifier of ' +
        'the chain needs; `from` is the sequence to begin with.',
      query: z
        .object({
          order: z.enum(['asc', 'desc']).optional().describe('`desc`, newest first, when absent.'),
          from: sequenceText.optional().describe('Sequence to begin with.'),
          ...pageQuery,
        })
        .strict(),
      responses: { 200: batchPage },
    }),
    getBatch: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/publisher/batches/:sequence',
      operationId: 'getBatch',
      access: 'public',
      cache: 'etag',
      errors: ['UNKNOWN_BATCH'],
      leadsTo: {
        listBatchEntries: { sequence: '$response.body#/header/sequence' },
      },
      summary: 'Read one batch',
      description: 'The signed header of a batch, its signature, the key, and the receipt of the oracle.',
      pathParams: batchParams,
      query: noQuery,
      responses: { 200: publishedBatch },
    }),
    listBatchEntries: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/publisher/batches/:sequence/entries',
      operationId: 'listBatchEntries',
      access: 'public',
      cache: 'etag',
      errors: ['UNKNOWN_BATCH'],
      leadsTo: {
        proveBatchEntry: {
          sequence: '$response.body#/sequence',
          anchor: '$response.body#/items/0/anchorId',
          corridor: '$response.body#/items/0/corridor',
        },
      },
      summary: 'List the entries of a batch',
      description:
        'The score cards of window 30 as they stood when the batch was made, in the order in which they were hashed: ' +
        'by anchor, then corridor. They never change.',
      pathParams: batchParams,
      query: z.object(pageQuery).strict(),
      responses: { 200: batchEntries },
    }),
    proveBatchEntry: describeRoute({
      ...shared,
      method: 'GET',
      path: '/api/publisher/batches/:sequence/proof',
      operationId: 'proveBatchEntry',
      access: 'public',
      cache: 'etag',
      errors: ['UNKNOWN_BATCH', 'UNSUPPORTED_PAIR'],
      summary: 'Prove that a score is in a batch',
      description:
        'The entry of an anchor in a corridor, and the hashes that lead from it to the root of the signed header. ' +
        '`verifyEntry` and `verifyBatch` of the contract package check them; docs/publisher.md says how to check them ' +
        'by hand.',
      pathParams: batchParams,
      query: z.object({ anchor: anchorInRequest, corridor: corridorInRequest }).strict(),
      responses: { 200: entryProof },
    }),
  },
  { strictStatusCodes: true },
);
