import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { anchorId, corridorId, noBody, noQuery, pageQuery } from './primitives.js';
import {
  type AnchorReputation,
  anchorReputation,
  type LeaderboardAnswer,
  leaderboardAnswer,
  type RefreshAnswer,
  type ReputationHistory,
  refreshAnswer,
  reputationHistory,
} from './reputation-answers.js';
import { describeRoute } from './route-metadata.js';
import { exampleCard, exampleRecord, recordWith } from './score-card-example.js';

const c = initContract();

const windowQuery = z.enum(['7', '30', '90']).optional().describe('7, 30 or 90 days; 30 when absent.');

const getLeaderboard = describeRoute({
  method: 'GET',
  operationId: 'getLeaderboard',
  tag: 'reputation',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  example: {
    query: { corridor: 'usdc-ngn', window: '30' },
    answer: {
      corridor: 'usdc-ngn',
      window: 30,
      computedAt: '2026-11-21T09:30:00.000Z',
      items: [
        {
          rank: 1,
          anchorId: 'harbour',
          anchorName: 'Harbour',
          simulated: true,
          ...exampleRecord,
          scoredCorridors: 1,
        },
        {
          rank: null,
          anchorId: 'tidewater',
          anchorName: 'Tidewater',
          simulated: true,
          ...recordWith({
            outcomes: 3,
            filled: 3,
            accountDays: 3,
            fillRate: '1.000000',
            p50SettleSeconds: 312,
            p95SettleSeconds: 405,
            meanShortfall: null,
          }),
          scoredCorridors: 0,
        },
      ],
      nextCursor: null,
    } satisfies LeaderboardAnswer,
  },
});

const getReputation = describeRoute({
  method: 'GET',
  operationId: 'getReputation',
  tag: 'reputation',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  errors: ['UNKNOWN_ANCHOR'],
  example: {
    params: { anchor: 'harbour' },
    query: { window: '30' },
    answer: {
      anchorId: 'harbour',
      anchorName: 'Harbour',
      simulated: true,
      status: 'active',
      window: 30,
      computedAt: '2026-11-21T09:30:00.000Z',
      ...exampleRecord,
      corridors: [exampleCard],
    } satisfies AnchorReputation,
  },
});

const getReputationHistory = describeRoute({
  method: 'GET',
  operationId: 'getReputationHistory',
  tag: 'reputation',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  errors: ['UNKNOWN_ANCHOR'],
  example: {
    params: { anchor: 'harbour' },
    query: { corridor: 'usdc-ngn', limit: '1' },
    answer: {
      anchorId: 'harbour',
      corridor: 'usdc-ngn',
      window: 30,
      items: [
        {
          day: '2026-11-21',
          ...recordWith({
            outcomes: 14,
            filled: 14,
            accountDays: 13,
            fillRate: '1.000000',
            p50SettleSeconds: 87,
            p95SettleSeconds: 140,
            meanShortfall: '0.000000000',
            quotedOutcomes: 14,
            score: '85.67',
            state: 'scored',
          }),
        },
      ],
      nextCursor: 'eyJkIjoiMjAyNi0xMS0yMSJ9',
    } satisfies ReputationHistory,
  },
});

const refreshReputation = describeRoute({
  method: 'POST',
  operationId: 'refreshReputation',
  tag: 'reputation',
  access: 'internal',
  limit: 'default',
  cache: 'no-store',
  errors: ['RUN_IN_PROGRESS'],
  example: {
    answer: {
      startedAt: '2026-11-21T09:29:59.600Z',
      computedAt: '2026-11-21T09:30:00.000Z',
      folded: 12,
      foldedElsewhere: false,
      anchors: 8,
      cards: 111,
      scored: 96,
      durationMs: 412,
    } satisfies RefreshAnswer,
  },
});

/** The fixed paths come before `/api/reputation/:anchor`: the router matches in this order. */
export const reputationContract = c.router(
  {
    getLeaderboard: {
      method: getLeaderboard.method,
      path: '/api/reputation/leaderboard',
      summary: 'Rank the anchors',
      description:
        'The anchors of the fleet by score, best first; those without a score come last with `rank: null`. Over all ' +
        "corridors an anchor's score is the outcome-weighted mean over its scored corridors; with `corridor` it is " +
        'the one of its card there. Pages of one answer belong together while its scores are kept.',
      query: z
        .object({
          corridor: corridorId.optional().describe('Rank in this corridor only.'),
          window: windowQuery,
          ...pageQuery,
        })
        .strict(),
      responses: { 200: leaderboardAnswer, ...getLeaderboard.errors },
      metadata: getLeaderboard.metadata,
    },
    refreshReputation: {
      method: refreshReputation.method,
      path: '/api/reputation/refresh',
      summary: 'Compute the scores anew',
      description:
        'Counts what has changed since the last time into the roll-ups, then computes every card, score and ranking ' +
        'from them. Answers 200 with what it did; the body may be empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: refreshAnswer, ...refreshReputation.errors },
      metadata: refreshReputation.metadata,
    },
    getReputation: {
      method: getReputation.method,
      path: '/api/reputation/:anchor',
      summary: "Read one anchor's reputation",
      description:
        "The anchor's record over all its corridors and its card in each. A delisted anchor stays readable; one that " +
        'nobody used yet has a record of zeros and no score.',
      pathParams: z.object({ anchor: anchorId }),
      query: z.object({ window: windowQuery }).strict(),
      responses: { 200: anchorReputation, ...getReputation.errors },
      metadata: getReputation.metadata,
    },
    getReputationHistory: {
      method: getReputationHistory.method,
      path: '/api/reputation/:anchor/history',
      summary: "Read one anchor's reputation day by day",
      description:
        'One point for each UTC day on which an outcome was recorded, newest first: the outcomes of that day, and the ' +
        'score over the window that ends with it.',
      pathParams: z.object({ anchor: anchorId }),
      query: z
        .object({
          corridor: corridorId.optional().describe('Only this corridor; all of them together when absent.'),
          window: windowQuery,
          ...pageQuery,
        })
        .strict(),
      responses: { 200: reputationHistory, ...getReputationHistory.errors },
      metadata: getReputationHistory.metadata,
    },
  },
  { strictStatusCodes: true },
);
