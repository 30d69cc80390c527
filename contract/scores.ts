import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { instant, page, pageQuery } from './primitives.js';
import { describeRoute } from './route-metadata.js';
import { scoreCard } from './score-card.js';
import { exampleCard } from './score-card-example.js';

const c = initContract();

/** The cards of window 30, as they are published, and the batch that proves them. */
export const publicScores = page(scoreCard)
  .extend({
    version: z.enum(['1']).describe('Version of this answer.'),
    formula: z.enum(['v1']).describe('Version of the formula the scores follow; see docs/reputation.md.'),
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
        'The latest published batch, or null. Its entries are the cards as they stood when it was made; these here ' +
          'may be newer.',
      ),
  })
  .describe('Public scores: every card of window 30, by anchor and corridor.');

export type PublicScores = z.infer<typeof publicScores>;

const getPublicScores = describeRoute({
  method: 'GET',
  operationId: 'getPublicScores',
  tag: 'reputation',
  access: 'public',
  limit: 'scores',
  cache: 'etag',
  example: {
    query: { limit: '50' },
    answer: {
      version: '1',
      formula: 'v1',
      window: 30,
      generatedAt: '2026-11-21T09:30:00.000Z',
      batch: {
        sequence: 17,
        root: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
      },
      items: [exampleCard],
      nextCursor: null,
    } satisfies PublicScores,
  },
});

export const scoresContract = c.router(
  {
    getPublicScores: {
      method: getPublicScores.method,
      path: '/v1/public/scores',
      summary: 'Read the public scores',
      description:
        'Every card of window 30, ordered by anchor and corridor, with all inputs of its score, so that anyone can ' +
        'compute it again; and the latest published batch, against which entries can be proved.',
      query: z.object(pageQuery).strict(),
      responses: { 200: publicScores, ...getPublicScores.errors },
      metadata: getPublicScores.metadata,
    },
  },
  { strictStatusCodes: true },
);
