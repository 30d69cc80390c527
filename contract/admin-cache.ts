import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { corridorId, instant, noQuery } from './primitives.js';
import { describeRoute } from './route-metadata.js';

const c = initContract();

/** What an invalidation drops. */
export const cacheScope = z
  .enum(['all', 'rates', 'anchors', 'fx', 'snapshot'])
  .describe(
    '`rates`: quotes. `anchors`: what was read from stellar.toml and /info. `fx`: the reference exchange rates. ' +
      '`snapshot`: the snapshot. `all`: every one of them.',
  );

/** The body of an invalidation; an empty one drops everything. */
export const invalidateCacheBody = z
  .object({
    scope: cacheScope.optional().describe('What to drop; everything when absent.'),
    corridor: corridorId
      .optional()
      .describe('Only what belongs to this corridor; every corridor when absent.'),
  })
  .strict()
  .describe('What to drop; an empty body, or none, drops everything.');

/** What an invalidation did. */
export const invalidateCacheAnswer = z
  .object({
    scope: cacheScope,
    corridor: corridorId.nullable().describe('The corridor it was limited to, or null for all.'),
    epoch: z
      .number()
      .int()
      .min(1)
      .describe(
        'The new epoch of this scope and corridor: entries begun under an older one are never served.',
      ),
    droppedEntries: z.number().int().min(0).describe('Entries dropped at once in the answering instance.'),
    invalidatedAt: instant.describe('When; the other instances follow within a second.'),
  })
  .describe('What was dropped.');

export type CacheScope = z.infer<typeof cacheScope>;
export type InvalidateCacheAnswer = z.infer<typeof invalidateCacheAnswer>;

const invalidateCache = describeRoute({
  method: 'POST',
  operationId: 'invalidateCache',
  tag: 'admin',
  access: 'admin',
  limit: 'default',
  cache: 'no-store',
  errors: ['UNSUPPORTED_PAIR'],
  example: {
    body: { scope: 'rates', corridor: 'usdc-ngn' },
    answer: {
      scope: 'rates',
      corridor: 'usdc-ngn',
      epoch: 4,
      droppedEntries: 12,
      invalidatedAt: '2026-11-21T09:30:00.000Z',
    } satisfies InvalidateCacheAnswer,
  },
});

export const adminCacheContract = c.router(
  {
    invalidateCache: {
      method: invalidateCache.method,
      path: '/api/admin/cache/invalidate',
      summary: 'Drop cached data on every instance',
      description:
        'Drops what is kept of the given scope and corridor: here at once, on the other instances within a second. ' +
        'The next request asks the anchors again. Answers 200 with what it did; an empty body drops everything.',
      query: noQuery,
      body: invalidateCacheBody.optional(),
      responses: { 200: invalidateCacheAnswer, ...invalidateCache.errors },
      metadata: invalidateCache.metadata,
    },
  },
  { strictStatusCodes: true },
);
