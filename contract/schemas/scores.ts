import { z } from 'zod';
import { instant, page } from './primitives.js';
import { formulaMembers, scoreCard } from './score-card.js';

/** The entries of the latest batch; where nothing is published, the cards of window 30. */
export const publicScores = page(scoreCard)
  .extend({
    version: z.enum(['1']).describe('Version of this answer.'),
    ...formulaMembers,
    standsStillSince: instant
      .nullable()
      .describe('Since when these scores wait for a ledger or the oracle, or null.'),
    window: z.literal(30).describe('Days the cards are taken over.'),
    generatedAt: instant
      .nullable()
      .describe(
        'When the batch was made, or without one, when the cards were computed; null before the first time.',
      ),
    batch: z
      .object({
        sequence: z.number().int().min(1).describe('Number of the batch.'),
        root: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .describe('Merkle root over its entries.'),
      })
      .nullable()
      .describe('The batch whose entries these are, over all pages; null where nothing is published.'),
  })
  .describe('Public scores: every card of window 30, by anchor and corridor.');
export type PublicScores = z.infer<typeof publicScores>;
