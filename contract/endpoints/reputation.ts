import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { anchorInRequest, corridorInRequest, noBody, noQuery, pageQuery } from '../schemas/primitives.js';
import {
  anchorReputation,
  leaderboardAnswer,
  publicScores,
  refreshAnswer,
  reputationHistory,
} from '../schemas/reputation.js';

const c = initContract();

const windowQuery = z.enum(['7', '30', '90']).optional().describe('7, 30 or 90 days; 30 when absent.');

/** The fixed paths come before `/api/reputation/:anchor`: the router matches in this order. */
export const reputationContract = c.router(
  {
    getLeaderboard: describeRoute({
      method: 'GET',
      path: '/api/reputation/leaderboard',
      operationId: 'getLeaderboard',
      tag: 'reputation',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      errors: ['UNSUPPORTED_PAIR'],
      leadsTo: {
        getReputation: { anchor: '$response.body#/items/0/anchorId' },
        getReputationHistory: { anchor: '$response.body#/items/0/anchorId' },
      },
      summary: 'Rank the anchors',
      description:
        'The anchors of the fleet by score, best first; those without a score come last with `rank: null`. Over all ' +
        "corridors an anchor's score is the outcome-weighted mean over its scored corridors; with `corridor` it is " +
        'the score of its card there. A page that is asked for by cursor goes on behind the last anchor of the one before.',
      query: z
        .object({
          corridor: corridorInRequest.optional().describe('Rank in this corridor only.'),
          window: windowQuery,
          ...pageQuery,
        })
        .strict(),
      responses: { 200: leaderboardAnswer },
    }),
    refreshReputation: describeRoute({
      method: 'POST',
      path: '/api/reputation/refresh',
      operationId: 'refreshReputation',
      tag: 'reputation',
      access: 'internal',
      limit: 'default',
      cache: 'no-store',
      errors: ['RUN_IN_PROGRESS'],
      summary: 'Compute the scores anew',
      description:
        'Counts every UTC day anew on which an outcome has changed since the last run, then computes every card, score ' +
        'and ranking. Answers 200 with what it did; the body may be empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: refreshAnswer },
    }),
    getReputation: describeRoute({
      method: 'GET',
      path: '/api/reputation/:anchor',
      operationId: 'getReputation',
      tag: 'reputation',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      errors: ['UNKNOWN_ANCHOR'],
      summary: "Read one anchor's reputation",
      description:
        "The anchor's record over all its corridors and its card in each. A delisted anchor stays readable; one that " +
        'nobody used yet has a record of zeros and no score.',
      pathParams: z.object({ anchor: anchorInRequest }),
      query: z.object({ window: windowQuery }).strict(),
      responses: { 200: anchorReputation },
    }),
    getReputationHistory: describeRoute({
      method: 'GET',
      path: '/api/reputation/:anchor/history',
      operationId: 'getReputationHistory',
      tag: 'reputation',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      errors: ['UNKNOWN_ANCHOR', 'UNSUPPORTED_PAIR'],
      summary: "Read one anchor's reputation day by day",
      description:
        'One point for each UTC day on which an outcome was recorded, newest first: the outcomes of that day, and the ' +
        'score over the window that ends with it.',
      pathParams: z.object({ anchor: anchorInRequest }),
      query: z
        .object({
          corridor: corridorInRequest
            .optional()
            .describe('Only this corridor; all of them together when absent.'),
          window: windowQuery,
          ...pageQuery,
        })
        .strict(),
      responses: { 200: reputationHistory },
    }),
  },
  { strictStatusCodes: true },
);

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
