import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { pageQuery } from '../schemas/primitives.js';
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
        'The entries of the latest published batch, which the answer names and against which each can be proved: every ' +
        'card of window 30, ordered by anchor and corridor, with all inputs of its score, so that anyone can compute it ' +
        'again. Where nothing is published, the cards as they are, and `batch` is null.',
      query: z.object(pageQuery).strict(),
      responses: { 200: publicScores },
    }),
  },
  { strictStatusCodes: true },
);
