import { z } from 'zod';
import { instant, page } from './primitives.js';
import { formulaMembers, publishedCard } from './score-card.js';

export type { PublicScores } from '../client/types/scores.js';

/** The cards of window 30, as they are published, and the batch that proves them. */
export const publicScores = page(publishedCard)
  .extend({
    version: z.enum(['1']).describe('Version of this answer.'),
    ...formulaMembers,
    window: z.literal(30).describe('Days the cards are taken over.'),
    generatedAt: instant.nullable().describe('When the cards were computed; null before the first time.'),
    batch: z
      .object({
        sequence: z.number().int().min(1).describe('Number of the batch.'),
        root: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .describe('Merkle root over its entries.'),
      })
      .nullable()
      .describe(
        'The latest batch whose entries are exactly these cards, over all pages; null while the cards are newer.',
      ),
  })
  .describe('Public scores: every card of window 30, by anchor and corridor.');
