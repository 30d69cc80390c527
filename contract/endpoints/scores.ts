import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { pageQuery } from '../schemas/primitives.js';
import { formulaQuery } from '../schemas/score-card.js';
import { publicScores } from '../schemas/scores.js';

const c = initContract();

export const scoresContract = c.router(
  {
    getPublicScores: describeRoute({
      method: 'GET',
      path: '/v1/public/scores',
      operationId: 'getPublicScores',
      tag: 'reputation',
      access: 'public',
      limit: 'scores',
      cache: 'etag',
      summary: 'Read the public scores',
      description:
        'Every card of window 30, ordered by anchor and corridor, with all inputs of its score, so that anyone can ' +
        'compute it again; and the published batch that holds exactly these cards, against which each can be proved, or ' +
        'null while the cards are newer than the last batch.',
      query: z.object({ formula: formulaQuery, ...pageQuery }).strict(),
      responses: { 200: publicScores },
    }),
  },
  { strictStatusCodes: true },
);
