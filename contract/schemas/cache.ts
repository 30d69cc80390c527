import { z } from 'zod';
import { corridorId, corridorInRequest, instant } from './primitives.js';

/** What an invalidation drops. */
export const cacheScope = z
  .enum(['all', 'rates', 'anchors', 'fx', 'snapshot'])
  .describe(
    '`rates`: quotes. `anchors`: what was read from stellar.toml and /info. `fx`: the reference exchange rates. ' +
      '`snapshot`: the snapshot. `all`: every one of them. More may be dropped than is named.',
  );

/** The body of an invalidation; an empty one drops everything. */
export const invalidateCacheBody = z
  .object({
    scope: cacheScope.optional().describe('What to drop; everything when absent.'),
    corridor: corridorInRequest
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
        'The new epoch of all caches, raised by every operation of operators. Entries begun in an older one are never served.',
      ),
    droppedEntries: z.number().int().min(0).describe('Entries dropped at once in the answering instance.'),
    invalidatedAt: instant.describe('When it was done here; the other instances follow within a second.'),
  })
  .describe('What was dropped.');
export type InvalidateCacheAnswer = z.infer<typeof invalidateCacheAnswer>;
